/** For tests: values at and one past each published bound of a request schema, derived from the schema alone. */
import type { JsonSchema } from '../src/openapi/input-shape.ts';
import { fieldName, fieldsOf, textOf, typesOf, withField } from '../src/openapi/schema-walk.ts';
import type { Field } from '../src/openapi/schema-walk.ts';

export interface Probe {
  label: string;
  value: unknown;
  /** Whether the schema accepts the value. */
  fits: boolean;
}

export interface FieldCase extends Probe {
  /** The field name in errors. */
  field: string;
  body: unknown;
}

/** An error anywhere in these fields names the whole field (docs/requirements.md#trunks). */
const NAMED_AS_A_WHOLE = ['tech_prefixes.inbound', 'codecs'];

/** Accepted with any type: other types of lines do not use this credential, and only JSON true is a dry run. */
const OF_ANY_TYPE = ['credentials.access_token', 'dry_run'];

/** All cases of a body: the example with one field set to a value at or past a bound. */
export const bodyCases = (schema: JsonSchema, example: unknown): FieldCase[] =>
  fieldsOf(schema).flatMap((field) => {
    const name = fieldName(field.at);
    const probes = probesOf(field).filter(({ fits }) => fits || !OF_ANY_TYPE.includes(name));
    return probes.map((probe) => ({
      ...probe,
      field: NAMED_AS_A_WHOLE.find((whole) => name.startsWith(whole)) ?? name,
      label: `${name} ${probe.label}`,
      body: withField(example, schema, field.at, probe.value),
    }));
  });

export interface QueryCase extends Probe {
  field: string;
  query: Record<string, string>;
}

/** All cases of a query: the example with one parameter set. Values are text, and a blank one counts as omitted. */
export const queryCases = (schema: JsonSchema, example: Record<string, string>): QueryCase[] =>
  fieldsOf(schema).flatMap((field) => {
    const name = fieldName(field.at);
    const textual = { ...field, required: false, nullable: false };
    return probesOf(textual)
      .filter(({ value, label }) => typeof value !== 'object' && !/^of type (?!string)/.test(label))
      .map((probe) => ({
        ...probe,
        field: name,
        label: `${name} ${probe.label}`,
        query: { ...example, [name]: String(probe.value) },
      }));
  });

export function probesOf({ schema, required, nullable }: Field): Probe[] {
  const choices = schema.anyOf ?? schema.oneOf;
  return [
    ...(choices ? ofChoice(choices) : ofType(schema)),
    ...(required ? missing(schema) : []),
    ...(nullable ? [fits('null', null)] : []),
  ];
}

const fits = (label: string, value: unknown): Probe => ({ label, value, fits: true });
const rejected = (label: string, value: unknown): Probe => ({ label, value, fits: false });

function missing(schema: JsonSchema): Probe[] {
  const blank = typesOf(schema).includes('string') ? [rejected('blank', ' \t'), rejected('empty', '')] : [];
  return [rejected('omitted', undefined), rejected('null', null), ...blank];
}

/** Values of types that none of the choices has. */
function ofChoice(choices: readonly JsonSchema[]): Probe[] {
  const taken = new Set(choices.flatMap((choice) => typesOf(choice)));
  const formatted = choices.every(({ format }) => format !== undefined);
  return [...mismatches([...taken]), ...(formatted ? [rejected('not in any of its formats', 'soon')] : [])];
}

const SAMPLES: Record<string, unknown> = {
  string: 'text',
  number: 1.5,
  boolean: true,
  array: [],
  object: {},
};
const mismatches = (types: readonly string[]): Probe[] => {
  const taken = (type: string) => types.includes(type) || (type === 'number' && types.includes('integer'));
  return Object.entries(SAMPLES)
    .filter(([type]) => !taken(type))
    .map(([type, value]) => rejected(`of type ${type}`, value));
};

function ofType(schema: JsonSchema): Probe[] {
  const types = typesOf(schema);
  const bounds = types.flatMap((type) => boundsOf(type, schema));
  return types.length === 0 ? [] : [...bounds, ...mismatches(types)];
}

function boundsOf(type: string, schema: JsonSchema): Probe[] {
  switch (type) {
    case 'integer':
      return [...numberBounds(schema), rejected('fractional', (schema.minimum ?? 0) + 0.5)];
    case 'number':
      return numberBounds(schema);
    case 'string':
      return schema.enum ? enumValues(schema.enum.map(String)) : lengths(schema);
    case 'boolean':
      return [fits('true', true), fits('false', false)];
    case 'array':
      return counts(schema);
    default:
      return [];
  }
}

const numberBounds = ({ minimum, maximum }: JsonSchema): Probe[] => [
  ...(minimum === undefined ? [] : [fits('minimum', minimum), rejected('minimum minus one', minimum - 1)]),
  ...(maximum === undefined ? [] : [fits('maximum', maximum), rejected('maximum plus one', maximum + 1)]),
  rejected('largest double', Number.MAX_VALUE),
];

const enumValues = (values: readonly string[]): Probe[] => [
  ...values.map((value) => fits(value, value)),
  ...values.map((value) => fits(`${value} in lowercase`, ` ${value.toLowerCase()} `)),
  rejected('unknown enum value', `${values[0] ?? ''}_`),
];

function lengths(schema: JsonSchema): Probe[] {
  const { minLength = 0, maxLength } = schema;
  const atLeast = minLength > 0 ? textOf(schema, minLength) : undefined;
  const atMost = maxLength === undefined ? undefined : textOf(schema, maxLength);
  return [
    ...(atLeast === undefined ? [] : [fits('minimum length', atLeast)]),
    ...(atMost === undefined ? [] : [fits('maximum length', atMost)]),
    ...(maxLength === undefined ? [] : [rejected('one character too long', 'x'.repeat(maxLength + 1))]),
    ...(schema.pattern && schema.pattern !== '\\S'
      ? [rejected('not matching its pattern', '\u00a7 \u00a7')]
      : []),
    ...(schema.format ? [rejected('not in its format', 'soon')] : []),
  ];
}

/** Lists with a repeated entry may be rejected for that reason, so only a list that is too long is tried. */
const counts = ({ maxItems, items }: JsonSchema): Probe[] => {
  const simple = typeof items === 'object' && !Array.isArray(items) && typesOf(items).includes('string');
  return maxItems === undefined || !simple
    ? []
    : [
        rejected(
          'one entry too many',
          Array.from({ length: maxItems + 1 }, () => sampleEntry(items)),
        ),
      ];
};
const sampleEntry = (items: JsonSchema) => items.enum?.[0] ?? textOf(items, items.minLength ?? 1) ?? 'x';
