/**
 * JSON Schema → the rows of a field table. Nested fields are named as in `details.field`: `members[].priority`. In requests, null
 * always means "omitted", which is documented once, so the types of request fields do not mention null.
 */
import type { JsonSchema } from '@clarion/protocol/openapi/input-shape';
import { toJsonSchema } from '@clarion/protocol/openapi/json-schema';
import type { z } from 'zod';
import { table } from '../tables.ts';
import { commonDescription } from './common-descriptions.ts';

export interface Field {
  name: string;
  type: string;
  required: boolean;
  /** What applies if the field is omitted: `required`, `optional` or the default. */
  omitted: string;
  description: string;
}

/** The largest ID that a column can hold. It is not worth documenting as a bound. */
const MAX_INTEGER = 2_147_483_647;

export const requestFields = (schema: z.ZodType): Field[] =>
  fieldsOf(toJsonSchema(schema).schema).map((field) => ({
    ...field,
    type: field.type.replace(/(?:, | or )`?null`?$/, ''),
  }));
export const responseFields = (schema: z.ZodType): Field[] => fieldsOf(toJsonSchema(schema).schema);

/** A field table for a schema that belongs to no endpoint, such as an event. Omits the field `except` and the fields inside it. */
export const fieldTable = (schema: z.ZodType, except?: string): string =>
  table(
    ['Field', 'Type', 'Meaning'],
    responseFields(schema)
      .filter(({ name }) => name !== except && !name.startsWith(`${except}.`))
      .map((field) => [`\`${field.name}\``, field.type, field.description || commonDescription(field.name)]),
  );

function fieldsOf(schema: JsonSchema, prefix = ''): Field[] {
  const kinds = kindsOf(schema);
  if (kinds.length > 0) return fieldsOfKinds(kinds, (kind) => fieldsOf(kind, prefix));
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([key, property]) => {
    if (typeof property === 'boolean') return [];
    const name = `${prefix}${key}`;
    const field: Field = {
      name,
      type: typeOf(property),
      required: required.includes(key),
      omitted: omittedOf(property, required.includes(key)),
      description: property.description ?? '',
    };
    return [field, ...nested(property, name)];
  });
}

const kindsOf = ({ anyOf = [], oneOf = [] }: JsonSchema) => [...anyOf, ...oneOf];

/** One row for each name. If the variants have titles, the description says which variant a field belongs to. */
function fieldsOfKinds(kinds: readonly JsonSchema[], fieldsOfKind: (kind: JsonSchema) => Field[]): Field[] {
  const rows = new Map<string, Field>();
  for (const kind of kinds) {
    for (const field of fieldsOfKind(kind)) {
      const known = rows.get(field.name);
      const types = new Set([...(known ? known.type.split(', ') : []), ...field.type.split(', ')]);
      const { title } = kind;
      rows.set(field.name, {
        ...(known ?? { ...field, description: `${title ? `With \`${title}\`. ` : ''}${field.description}` }),
        type: [...types].join(', '),
      });
    }
  }
  return [...rows.values()];
}

/** The fields inside an object, inside the objects of a list, and inside each kind of a union. */
function nested(schema: JsonSchema, name: string): Field[] {
  if (schema.properties) return fieldsOf(schema, `${name}.`);
  const { items } = schema;
  if (items && typeof items === 'object' && !Array.isArray(items)) return nested(items, `${name}[]`);
  return fieldsOfKinds(kindsOf(schema), (kind) => nested(kind, name));
}

function omittedOf(schema: JsonSchema, required: boolean): string {
  if (required) return 'required';
  const { default: fallback } = schema;
  if (fallback === undefined) return 'optional';
  return `\`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``;
}

/** The values of a longer list have a page of their own, to which the description refers. */
const MAX_LISTED_VALUES = 40;

function typeOf(schema: JsonSchema): string {
  const kinds = kindsOf(schema);
  if (kinds.length > 0) return [...new Set(kinds.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum && schema.enum.length > MAX_LISTED_VALUES) return 'string';
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? 'any' : types.map((type) => nameOf(type, schema)).join(' or ');
}

function nameOf(type: string, schema: JsonSchema): string {
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return `integer${boundsOf(schema)}`;
    case 'number':
      return `number${boundsOf(schema)}`;
    case 'array':
      return listOf(schema);
    default:
      return type;
  }
}

const formats: Record<string, string> = { 'date-time': 'timestamp', uuid: 'UUID', uri: 'URL', date: 'date' };

function textOf({ format, minLength = 0, maxLength }: JsonSchema): string {
  const named = format === undefined ? 'string' : (formats[format] ?? 'string');
  if (maxLength === undefined) return named;
  return `${named}, ${minLength > 1 ? `${minLength} to` : 'at most'} ${maxLength} characters`;
}

function boundsOf({ minimum, maximum: most }: JsonSchema): string {
  const maximum = most === MAX_INTEGER ? undefined : most;
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? '' : `, at most ${maximum}`;
}

function listOf({ items, maxItems }: JsonSchema): string {
  const of = items && typeof items === 'object' && !Array.isArray(items) ? ` of ${typeOf(items)}` : '';
  return `list${of}${maxItems === undefined ? '' : `, at most ${maxItems}`}`;
}
