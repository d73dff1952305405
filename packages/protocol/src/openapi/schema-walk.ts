/** For tests: the fields of a request schema, and values that it accepts. */
import type { JsonSchema } from './input-shape.ts';

export type Step = string | number;

export interface Field {
  at: Step[];
  /** Without null. */
  schema: JsonSchema;
  required: boolean;
  nullable: boolean;
}

export const fieldName = (at: readonly Step[]): string =>
  at.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}${text && '.'}${step}`),
    '',
  );

/** The types of a schema; empty for a choice. */
export const typesOf = ({ type }: JsonSchema): string[] => [type ?? []].flat();

export function withoutNull(schema: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null');
  const nullable =
    typesOf(schema).includes('null') ||
    (choices !== undefined && choices.length < (schema.anyOf?.length ?? 0));
  const kept: JsonSchema = { ...schema };
  const types = typesOf(schema).filter((type): type is 'string' => type !== 'null');
  const [type, ...more] = types;
  if (type !== undefined) kept.type = more.length > 0 ? types : type;
  if (choices) kept.anyOf = choices;
  if (kept.enum) kept.enum = kept.enum.filter((value) => value !== null);
  return { schema: kept, nullable };
}

const isSchema = (schema: unknown): schema is JsonSchema =>
  typeof schema === 'object' && schema !== null && !Array.isArray(schema);
const asSchema = (schema: unknown): JsonSchema => (isSchema(schema) ? schema : {});

/** All fields of a body at any depth; of a list, the first entry; of a choice, the choice itself. */
export function fieldsOf(body: JsonSchema): Field[] {
  const { properties = {}, required = [] } = body;
  return Object.entries(properties).flatMap(([name, property]) =>
    fieldAndInner({
      at: [name],
      ...withoutNull(asSchema(property)),
      required: required.includes(name),
    }),
  );
}

function fieldAndInner(field: Field): Field[] {
  const { at, schema } = field;
  const types = typesOf(schema);
  const within = (inner: Field): Field => ({ ...inner, at: [...at, ...inner.at] });
  if (types.includes('object')) return [field, ...fieldsOf(schema).map(within)];
  if (!types.includes('array')) return [field];
  const entry = { at: [...at, 0], ...withoutNull(asSchema(schema.items)), required: true };
  return [field, ...fieldAndInner(entry)];
}

/** A small value that matches the schema. Rules that only code checks, such as valid phone numbers, are not considered. */
export function sampleOf(given: JsonSchema): unknown {
  const { schema } = withoutNull(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return sampleOf(choice);
  switch (typesOf(schema)[0]) {
    case 'string':
      return textOf(schema, schema.minLength ?? 1) ?? 'x';
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(asSchema(schema.items)));
    case 'object': {
      const { properties = {}, required = [] } = schema;
      return Object.fromEntries(required.map((name) => [name, sampleOf(asSchema(properties[name]))]));
    }
    default:
      return null;
  }
}

const FORMATTED: Record<string, string> = {
  uuid: '0b9c1a52-7f6e-4a58-9d3e-2f0b7f6b1c11',
  date: '2026-01-05',
  'date-time': '2026-01-05T09:00:00.000Z',
  uri: 'https://example.com/',
};

/** Text of this length that matches the schema's pattern; undefined if no simple text does. */
export function textOf({ format, pattern }: JsonSchema, length: number): string | undefined {
  if (format !== undefined) return FORMATTED[format];
  const fits = (text: string) => pattern === undefined || new RegExp(pattern, 'u').test(text);
  return ['x', '1', 'A', 'aa@a'].map((unit) => unit.repeat(length).slice(0, length)).find(fits);
}

/** The body with a field set. Missing parents of the field are created. */
export function withField(body: unknown, root: JsonSchema, at: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = at;
  if (step === undefined) return value;
  const { schema } = withoutNull(root);
  const inner = asSchema(typeof step === 'number' ? schema.items : schema.properties?.[step]);
  const whole = body === undefined || body === null ? sampleOf(schema) : body;
  if (typeof step === 'number') {
    const list: unknown[] = Array.isArray(whole) ? [...whole] : [];
    list[step] = withField(list[step], inner, rest, value);
    return list;
  }
  const fields: Record<string, unknown> = { ...(typeof whole === 'object' ? whole : {}) };
  const changed = withField(fields[step], inner, rest, value);
  if (changed === undefined) delete fields[step];
  else fields[step] = changed;
  return fields;
}
