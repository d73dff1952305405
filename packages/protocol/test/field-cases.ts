/** For tests: each bound that a request schema publishes, at its edge and one past it, made from the schema alone. */
import type { JsonSchema } from '../src/openapi/input-shape.ts';
import { fieldName, fieldsOf, textOf, typesOf, withField } from '../src/openapi/schema-walk.ts';
import type { Field } from '../src/openapi/schema-walk.ts';

export interface Probe {
  label: string;
  value: unknown;
  /** Whether the field takes it, as far as the schema says. */
  fits: boolean;
}

export interface FieldCase extends Probe {
  /** As errors name it. */
  field: string;
  body: unknown;
}

/** A complaint about anything inside names the field as a whole (docs/requirements.md#trunks). */
const NAMED_AS_A_WHOLE = ['tech_prefixes.inbound'];

/** Taken whatever their type: a line of another type has no such credential; only JSON true is a dry run. */
const OF_ANY_TYPE = ['credentials.access_token', 'dry_run'];

/** Every case of a body: the example with one field set to an edge, or one past it. */
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

/** Every case of a query: the example with one parameter set. Values are text there, and what is blank counts as left out. */
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
  return [rejected('left out', undefined), rejected('null', null), ...blank];
}

/** What no type of the choices is. */
function ofChoice(choices: readonly JsonSchema[]): Probe[] {
  const taken = new Set(choices.flatMap((choice) => typesOf(choice)));
  const formatted = choices.every(({ format }) => format !== undefined);
  return [...mismatches([...taken]), ...(formatted ? [rejected('out of its formats', 'soon')] : [])];
}

const SAMPLES: Record<string, unknown> = {
  string: 'words',
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
      return [...numberBounds(schema), rejected('not whole', (schema.minimum ?? 0) + 0.5)];
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
  ...(minimum === undefined ? [] : [fits('at its least', minimum), rejected('one under', minimum - 1)]),
  ...(maximum === undefined ? [] : [fits('at its most', maximum), rejected('one over', maximum + 1)]),
  rejected('beyond all numbers', Number.MAX_VALUE),
];

const enumValues = (values: readonly string[]): Probe[] => [
  ...values.map((value) => fits(value, value)),
  ...values.map((value) => fits(`${value} in lower case`, ` ${value.toLowerCase()} `)),
  rejected('no such word', `${values[0] ?? ''}_`),
];

function lengths(schema: JsonSchema): Probe[] {
  const { minLength = 0, maxLength } = schema;
  const atLeast = minLength > 0 ? textOf(schema, minLength) : undefined;
  const atMost = maxLength === undefined ? undefined : textOf(schema, maxLength);
  return [
    ...(atLeast === undefined ? [] : [fits('at its shortest', atLeast)]),
    ...(atMost === undefined ? [] : [fits('at its longest', atMost)]),
    ...(maxLength === undefined ? [] : [rejected('one too long', 'x'.repeat(maxLength + 1))]),
    ...(schema.pattern && schema.pattern !== '\\S' ? [rejected('out of its pattern', '\u00a7 \u00a7')] : []),
    ...(schema.format ? [rejected('out of its format', 'soon')] : []),
  ];
}

/** Lists of the same entry may be refused for repeating it, so only their length past the bound is tried. */
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
