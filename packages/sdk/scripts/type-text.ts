/** JSON Schema → TypeScript, for the features that the protocol's schemas use. Editors then show plain types without zod. */
import type { JsonSchema } from '@clarion/protocol/openapi/input-shape';

export type Io = 'input' | 'output';

/** @throws on an unsupported keyword, instead of falling back to `unknown` */
export function typeText(schema: JsonSchema | boolean, io: Io, indent = ''): string {
  if (typeof schema === 'boolean') return 'unknown';
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.not && Object.keys(schema.not).length === 0) return 'never';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (alternatives) return union(alternatives.map((each) => typeText(each, io, indent)));
  if (schema.allOf) return schema.allOf.map((each) => typeText(each, io, indent)).join(' & ');
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typeText({ ...schema, type }, io, indent)));
  }
  switch (schema.type) {
    case 'string':
      return io === 'input' && schema.format === 'date-time' ? 'string | Date' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return arrayText(schema, io, indent);
    case 'object':
      return objectText(schema, io, indent);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`no TypeScript for ${JSON.stringify(schema)}`);
  }
}

/** A union of the distinct types. Members of nested unions are merged, except inside objects. */
const union = (texts: string[]) =>
  [...new Set(texts.flatMap((text) => (/[{(]/.test(text) ? text : text.split(' | '))))].join(' | ');

function arrayText({ items }: JsonSchema, io: Io, indent: string): string {
  if (Array.isArray(items)) throw new Error('no TypeScript for a tuple');
  const item = typeText(items ?? true, io, indent);
  return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: JsonSchema, io: Io, indent: string): string {
  const inner = `${indent}  `;
  const { properties = {}, required = [], additionalProperties } = schema;
  const lines = Object.entries(properties).map(([name, property]) => {
    const mayMiss = !required.includes(name);
    const type = typeText(property, io, inner);
    const whole = mayMiss && type !== 'unknown' ? `${type} | undefined` : type;
    return `${docText(property, inner)}${inner}${keyText(name)}${mayMiss ? '?' : ''}: ${whole};`;
  });
  if (lines.length > 0) return `{\n${lines.join('\n')}\n${indent}}`;
  return `{ [key: string]: ${typeText(additionalProperties ?? true, io, indent)} }`;
}

const keyText = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

function docText(schema: JsonSchema | boolean, indent: string): string {
  const { description } = typeof schema === 'boolean' ? {} : schema;
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`;
}
