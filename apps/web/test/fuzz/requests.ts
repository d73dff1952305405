/** Generates a random request to an endpoint, with the errors that it is known to have. */
import { probesOf } from '@clarion/protocol/openapi/field-cases';
import type { JsonSchema } from '@clarion/protocol/openapi/input-shape';
import { toJsonSchema } from '@clarion/protocol/openapi/json-schema';
import { fieldName, fieldsOf, withField } from '@clarion/protocol/openapi/schema-walk';
import type { Step } from '@clarion/protocol/openapi/schema-walk';
import { pathFields } from '@clarion/protocol/v1/endpoint';
import type { EndpointDefinition, PathField } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName } from '@clarion/protocol/v1/registry';
import fc from 'fast-check';
import type { Pools } from './pools.ts';
import { fitting, NASTY } from './values.ts';

/**
 * fitting: valid by the schemas. corrupted: the named fields are invalid, and the response must be 400 naming one of them. wild: the
 * named fields have arbitrary values, and only they may be named. garbled: not a JSON object, or not a path; no field is named.
 */
export type Mood = 'fitting' | 'corrupted' | 'wild' | 'garbled';

export interface FuzzRequest {
  name: EndpointName;
  mood: Mood;
  path: string;
  query: string;
  body: unknown;
  /** The body as sent. */
  text: string | undefined;
  headers: Record<string, string>;
  /** The corrupted fields, as errors name them. */
  spoiled: string[];
  /** The path is invalid: 404, or 400 naming the field on a PUT. */
  pathSpoiled: boolean;
  /** The values in the path, by field. */
  params: Record<string, string>;
}

interface Part {
  schema: JsonSchema;
  fields: { at: Step[]; name: string; wrong: unknown[] }[];
}

/** Accepted with any type (only JSON true is a dry run; a SIP line has no credentials). */
const OF_ANY_TYPE = ['credentials.access_token', 'dry_run'];
/** An error inside it names the field as a whole (docs/requirements.md#trunks). */
const NAMED_AS_A_WHOLE = ['tech_prefixes.inbound'];
const errorName = (name: string) => NAMED_AS_A_WHOLE.find((whole) => name.startsWith(whole)) ?? name;

/** A character that the database cannot store in any text. */
const UNREADABLE = ['a\0b', '\ud800', 'x\udfff'];

function partOf(endpoint: EndpointDefinition, of: 'body' | 'query'): Part | undefined {
  const zod = endpoint[of];
  if (!zod) return undefined;
  const { schema } = toJsonSchema(zod);
  const fields = fieldsOf(schema)
    .map((field) => {
      const name = fieldName(field.at);
      const probes = of === 'query' ? queryProbes(probesOf({ ...field, required: false })) : probesOf(field);
      const wrong = probes.filter(({ fits }) => !fits).map(({ value }) => value);
      const isText = field.schema.type === 'string' && !field.schema.format;
      return { at: field.at, name, wrong: isText && of === 'body' ? [...wrong, ...UNREADABLE] : wrong };
    })
    .filter(({ name, wrong }) => wrong.length > 0 && !OF_ANY_TYPE.includes(name));
  return { schema, fields };
}
const queryProbes = (probes: ReturnType<typeof probesOf>) =>
  probes
    .filter(({ label }) => !/^of type (?!string)/.test(label))
    .map((probe) => ({ ...probe, value: String(probe.value) }));

export function requestsTo(name: EndpointName, pools: Pools): fc.Arbitrary<FuzzRequest> {
  const endpoint: EndpointDefinition = registry[name];
  const body = partOf(endpoint, 'body');
  const query = partOf(endpoint, 'query');
  const moods: fc.WeightedArbitrary<Mood>[] = [
    { weight: 12, arbitrary: fc.constant('fitting') },
    ...(body || query ? [{ weight: 5, arbitrary: fc.constant<Mood>('corrupted') }] : []),
    ...(body || query ? [{ weight: 3, arbitrary: fc.constant<Mood>('wild') }] : []),
    { weight: 1, arbitrary: fc.constant('garbled') },
  ];
  return fc
    .record({
      mood: fc.oneof(...moods),
      params: fc.record(
        Object.fromEntries(fieldsIn(endpoint.path).map((field) => [field, paramOf(field, pools)])),
      ),
      body: body ? bodies(endpoint, body, pools) : fc.constant(undefined),
      byTitle: body ? titled(body.schema, pools) : fc.constant({}),
      query: query ? queries(query, pools) : fc.constant({}),
      picks: fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 8 }),
      headers: headersOf(endpoint),
    })
    .map((made) => assemble(name, endpoint, { body, query }, made));
}

const fieldsIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field);

const FRESH_REFS = [
  'fresh-1',
  'fresh-2',
  'fresh-3',
  'a/b',
  'ü ñ',
  '漢字',
  '%41',
  '..x',
  'a?b#c',
  '__proto__',
  'constructor',
];
/** Percentages: refs that are likely to exist, and refs that exist or existed. */
const LASTING_PERCENT = 85;
const KNOWN_PERCENT = 95;
const NOBODYS_ID = '2147483647';
function paramOf(field: string, pools: Pools): fc.Arbitrary<string> {
  const schema = field in pathFields ? toJsonSchema(pathFields[field as PathField]).schema : {};
  const fresh = field.endsWith('Ref')
    ? fc.constantFrom(...FRESH_REFS)
    : fitting(schema, field, pools).map(String);
  return fc.tuple(fc.nat(10_000), fresh, fc.nat(99)).map(([which, other, dice]) => {
    const from = (pool: readonly string[] = []) => pool[which % Math.max(1, pool.length)];
    const existing =
      dice < LASTING_PERCENT
        ? (from(pools.lasting.get(field)) ?? from(pools.known.get(field)))
        : from(pools.known.get(field));
    const drawn = (existing !== undefined && dice < KNOWN_PERCENT ? existing : other).trim() || 'x';
    return pools.allows(field, drawn) ? drawn : NOBODYS_ID;
  });
}

/** Only a few parameters: with all of them nothing would ever match. */
const queries = ({ schema }: Part, pools: Pools): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      fitting(schema, '', pools),
      fc.shuffledSubarray(Object.keys(schema.properties ?? {}), {
        maxLength: Math.min(2, Object.keys(schema.properties ?? {}).length),
      }),
    )
    .map(([all, few]) => {
      const { required = [] } = schema;
      const drawn = Object.entries(all as object);
      return Object.fromEntries(drawn.filter(([name]) => few.includes(name) || required.includes(name)));
    });

/** For a path segment that determines which of several bodies is valid: the bodies by title. */
const titled = ({ anyOf = [] }: JsonSchema, pools: Pools): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(anyOf.map((each) => [each.title ?? '', fitting(each, '', pools)])));

/** In half of the cases the example, which is consistent, with existing refs; otherwise generated from the schema. */
function bodies(endpoint: EndpointDefinition, { schema }: Part, pools: Pools): fc.Arbitrary<unknown> {
  const made = fitting(schema, '', pools);
  const likeTheExample = made.map((other) => turned(endpoint.example.body, other, pools, 0));
  return fc.oneof({ weight: 1, arbitrary: made }, { weight: 2, arbitrary: likeTheExample });
}

/** `example` with each ref, ID and line number replaced by that of `other`, or by a known one. */
function turned(example: unknown, other: unknown, pools: Pools, depth: number): unknown {
  if (Array.isArray(example)) return example.map((entry) => turned(entry, undefined, pools, depth + 1));
  if (typeof example !== 'object' || example === null) return example;
  const drawn = typeof other === 'object' && other !== null ? (other as Record<string, unknown>) : {};
  return Object.fromEntries(
    Object.entries(example).map(([key, value]) => {
      if (/_ref$|^address$|_id$|^kid$/.test(key) && key in drawn) return [key, drawn[key]];
      const noun = {
        audioFileId: 'audioAssetId',
        targetId: 'queueId',
        agent_ref: 'agentRef',
        deck_id: 'deckId',
      }[key];
      const known = noun === undefined ? undefined : pools.known.get(noun)?.at(-1);
      if (known !== undefined) return [key, typeof value === 'number' ? Number(known) : known];
      return [key, turned(value, drawn[key], pools, depth + 1)];
    }),
  );
}

function headersOf({ method }: EndpointDefinition): fc.Arbitrary<Record<string, string>> {
  if (method !== 'POST') return fc.constant({});
  const key = (value: string) => ({ 'idempotency-key': value });
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: fc.nat(1_000_000).map((n) => key(`key-${n}`)) },
    { weight: 1, arbitrary: fc.nat(3).map((n) => key(`again-${n}`)) },
  );
}

interface Made {
  mood: Mood;
  params: Record<string, string>;
  body: unknown;
  byTitle: Record<string, unknown>;
  query: unknown;
  picks: number[];
  headers: Record<string, string>;
}

function assemble(
  name: EndpointName,
  endpoint: EndpointDefinition,
  parts: { body: Part | undefined; query: Part | undefined },
  made: Made,
): FuzzRequest {
  const { mood, params, picks, headers } = made;
  const next = dealer(picks);
  const request = {
    name,
    mood,
    params,
    headers,
    path: endpoint.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
      encodeURIComponent(params[field] ?? ''),
    ),
    spoiled: [] as string[],
    pathSpoiled: false,
  };
  const asQuery = Object.fromEntries(
    Object.entries((made.query ?? {}) as Record<string, unknown>)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([field, value]) => [field, String(value)]),
  );
  if (mood === 'garbled') return garbled(endpoint, request, made.body, asQuery, next);
  const part = parts.body && parts.query ? (next(2) ? 'body' : 'query') : parts.body ? 'body' : 'query';
  const spoil = mood === 'fitting' ? undefined : parts[part];
  const titleInPath = Object.values(params).find((value) => Object.hasOwn(made.byTitle, value));
  let body = titleInPath === undefined ? made.body : made.byTitle[titleInPath];
  let query: Record<string, string> = asQuery;
  for (let count = spoil ? 1 + next(2) : 0; spoil && count > 0; count -= 1) {
    const field = spoil.fields[next(spoil.fields.length)];
    if (!field) break;
    const wrong = mood === 'wild' ? NASTY : field.wrong;
    const value = wrong[next(wrong.length)];
    request.spoiled.push(errorName(field.name));
    if (part === 'body') body = withField(body, spoil.schema, field.at, value);
    else query = { ...query, [field.name]: typeof value === 'string' ? value : JSON.stringify(value) };
  }
  if (typeof body === 'object' && body !== null && next(3) === 0) {
    body = {
      ...body,
      nonsense_field: NASTY[next(NASTY.length)],
      constructor: 1,
      ...JSON.parse('{"__proto__":{"x":1}}'),
    };
  }
  const search = new URLSearchParams(query);
  if (next(3) === 0) search.append('nonsense', '%00');
  // The last of two equal parameters counts.
  const [first] = Object.keys(query);
  const twice = first !== undefined && next(4) === 0 ? `${encodeURIComponent(first)}=%00&` : '';
  return {
    ...request,
    mood: request.spoiled.length === 0 ? 'fitting' : mood,
    query: twice + search.toString(),
    body,
    text: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** Returns numbers below a bound from the drawn ones. */
function dealer(picks: readonly number[]): (below: number) => number {
  let at = 0;
  return (below) => {
    at += 1;
    return Math.floor((picks[at % picks.length] ?? 0) / at) % Math.max(1, below);
  };
}

const NO_JSON = ['', '{', '{"name":', '{} {}', 'a=b', '\ufeff{}{', '{"a":1e999,}', 'NaN', "{'a':1}"];
const NO_OBJECT = ['null', '[]', '[{}]', '"text"', '7'];
const DEEP = ['['.repeat(50_000), '{"a":'.repeat(20_000), `{"a":${'['.repeat(101)}${']'.repeat(101)}}`];
/** As in a path; none of them is a valid ref or ID. */
const NO_PARAM = ['%00', '%ff', '%ED%A0%80', '%20', `${'x'.repeat(192)}`, '%', '%zz', '%09'];

function garbled(
  endpoint: EndpointDefinition,
  request: Omit<FuzzRequest, 'query' | 'body' | 'text'>,
  body: unknown,
  query: Record<string, string>,
  next: (below: number) => number,
): FuzzRequest {
  const fields = fieldsIn(endpoint.path);
  const search = new URLSearchParams(query).toString();
  if (fields.length > 0 && (!endpoint.body || next(2))) {
    const spoiled = fields[next(fields.length)] ?? '';
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
      field === spoiled
        ? (NO_PARAM[next(NO_PARAM.length)] ?? '%00')
        : encodeURIComponent(request.params[field] ?? ''),
    );
    const text = body === undefined ? undefined : JSON.stringify(body);
    const name = spoiled.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { ...request, path, query: search, body, text, spoiled: [name], pathSpoiled: true };
  }
  if (!endpoint.body) return { ...request, mood: 'fitting', query: search, body, text: undefined };
  const pool = [NO_JSON, DEEP, endpoint.anyJson ? NO_JSON : NO_OBJECT][next(3)] ?? NO_JSON;
  return { ...request, query: search, body: undefined, text: pool[next(pool.length)] ?? '{' };
}
