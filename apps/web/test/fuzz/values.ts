/** Values generated from JSON Schemas: valid ones, and unexpected ones. */
import type { JsonSchema } from '@clarion/protocol/openapi/input-shape';
import { sampleOf, textOf, typesOf, withoutNull } from '@clarion/protocol/openapi/schema-walk';
import fc from 'fast-check';
import type { Pools } from './pools.ts';

/** Characters with a meaning in quoting, encodings, patterns and SQL, which every text may contain. */
const SIGNS = [...'abcXYZ019 -_.:/%?#&=+\'"`\\<>{}[]()$;*|~é漢🙂\u200d\u202e\ufeff\t'];
const words = (min: number, max: number) =>
  fc
    .string({
      unit: fc.constantFrom(...SIGNS),
      minLength: Math.max(0, min - 1),
      maxLength: Math.max(0, max - 1),
    })
    .map((text) => `w${text}`);
const USUAL_MAX = 24;

const PHONES = Array.from({ length: 40 }, (_, index) => `+4420718387${String(index + 10)}`);
const MOMENTS = ['2020-01-01', '2026-01-05T09:00:00Z', '2026-11-21T00:00:00+02:00', '2030-01-01'];

/** The pool of a field of a body or query: refs by their noun, IDs by their resource. */
function poolOf(field: string): string | undefined {
  const noun = /(?:^|_)(agent|queue|channel|tenant|flow)_ref$/.exec(field)?.[1];
  if (noun) return `${noun}Ref`;
  return (
    {
      sip_trunk_id: 'trunkId',
      price_plan_id: 'planId',
      deck_id: 'deckId',
      buy_deck_id: 'deckId',
      inbound_buy_deck_id: 'deckId',
      hold_audio_asset_id: 'audioAssetId',
      audioFileId: 'audioAssetId',
      call_id: 'callId',
    }[field] ?? (field === 'targetId' ? 'queueId' : undefined)
  );
}

const named: Record<string, readonly unknown[]> = {
  address: PHONES,
  customer: [...PHONES, 'sip:ada@example.com'],
  url: ['https://hooks.example.com/events', 'https://example.com:8443/a?b=c'],
  lookup_url: ['https://hooks.example.com/lookup'],
  provider_account_id: ['436666719526789', '1001'],
  currency: ['USD', 'eur', 'GBP'],
  external_ref: ['order-1', 'order-2'],
  mime_type: ['audio/wav', 'audio/mpeg', 'audio/ogg'],
  interval: ['day', 'hour'],
  timezone: ['Europe/London', 'UTC'],
};

/** A random element; `values` is read when the value is generated. */
const anyOf = <T>(values: () => readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.nat(10_000).map((n) => values()[n % Math.max(1, values().length)]);

/** A value that is valid by the schema. */
export function fitting(given: JsonSchema, field: string, pools: Pools): fc.Arbitrary<unknown> {
  const { schema, nullable } = withoutNull(given);
  const value = fittingOf(schema, field, pools);
  return nullable
    ? fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })
    : value;
}

function fittingOf(schema: JsonSchema, field: string, pools: Pools): fc.Arbitrary<unknown> {
  const pool = poolOf(field);
  if (pool && schema.type !== 'array') {
    const known = anyOf(() => pools.lasting.get(pool) ?? pools.known.get(pool) ?? []).map((value) => {
      const found = value ?? sampleOf(schema);
      return schema.type === 'integer' ? Number(found) || 1 : found;
    });
    return fc.oneof({ weight: 12, arbitrary: known }, { weight: 1, arbitrary: byType(schema, field, pools) });
  }
  const usual = named[field];
  if (usual && !schema.enum && !/object|array/.test(String(schema.type))) return fc.constantFrom(...usual);
  return byType(schema, field, pools);
}

function byType(schema: JsonSchema, field: string, pools: Pools): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) {
    const plain = fc.constantFrom(...schema.enum);
    return fc.oneof(
      { weight: 3, arbitrary: plain },
      {
        weight: 1,
        arbitrary: plain.map((word) => (typeof word === 'string' ? ` ${word.toLowerCase()}` : word)),
      },
    );
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.every(({ format }) => format?.startsWith('date'))) return fc.constantFrom(...MOMENTS);
  if (choices) return fc.oneof(...choices.map((choice) => fitting(choice, field, pools)));
  switch (typesOf(schema)[0]) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
    case 'number':
      return fc
        .integer({ min: Math.ceil((schema.minimum ?? -1_000) * 4), max: 40_000 })
        .map((quarters) => quarters / 4);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return lists(schema, field, pools);
    case 'object':
      return objects(schema, pools);
    default:
      return harmlessJson;
  }
}

function texts(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { minLength = 0, maxLength = USUAL_MAX, pattern, format } = schema;
  if (format !== undefined || (pattern !== undefined && pattern !== '\\S')) {
    const lengths = [minLength, 1, 2, 10, Math.min(maxLength, 64)];
    const made = lengths
      .map((length) => textOf(schema, Math.max(1, length)))
      .filter((text) => text !== undefined);
    return fc.constantFrom(...(made.length > 0 ? made : [sampleOf(schema)]));
  }
  return fc.oneof(
    { weight: 8, arbitrary: words(minLength, Math.min(maxLength, USUAL_MAX)) },
    { weight: 1, arbitrary: fc.constant('é'.repeat(Math.min(maxLength, 4_096))) },
  );
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function lists({ items, minItems = 0, maxItems = 3 }: JsonSchema, field: string, pools: Pools) {
  const entry = isSchema(items) ? fitting(items, field, pools) : harmlessJson;
  return fc.array(entry, { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 3)) });
}

function objects(schema: JsonSchema, pools: Pools): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(
    ([name, inner]) => [name, isSchema(inner) ? fitting(inner, name, pools) : harmlessJson] as const,
  );
  const made = fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  if (schema.additionalProperties !== true || fields.length > 0) return made;
  return fc.dictionary(words(1, 8), harmlessJson, { maxKeys: 3 });
}

/** Free-form JSON that the database can store. */
const harmlessJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  words(1, 12),
  fc.constant({ a: [{ b: '🙂' }], __proto: 1 }),
);

/** An arbitrary value, for fields whose valid values are not known here, to test that nothing fails. */
export const NASTY: readonly unknown[] = [
  null,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x',
  '__proto__',
  'constructor',
  'x'.repeat(10_000),
  '🙂'.repeat(192),
  '٣',
  -1,
  0,
  -0,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  true,
  'true',
  [],
  {},
  [null],
  [[]],
  [[[[[[[[[[1]]]]]]]]]],
  { length: 3 },
  { toString: 'x' },
  { access_token: '\0' },
  { a: { b: ['\0'] } },
  { type: 'SIP' },
  '2026-02-30',
  '\'; drop table "Call"; --',
  '${7*7}',
  '../../etc/passwd',
  '+442079460123',
  '%00',
];
