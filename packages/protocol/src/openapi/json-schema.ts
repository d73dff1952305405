/**
 * Converts zod schemas to JSON Schema 2020-12, for the data on the wire: what a client sends and what a presenter returns. Both are
 * the input of a schema; the output of its transforms is internal.
 */
import { z } from 'zod';
import { shapeOf } from './input-shape.ts';
import type { InputShape, JsonSchema } from './input-shape.ts';

/** Schemas that are named components of the document. */
export type ComponentNames = z.core.$ZodRegistry<{ id: string }>;

export interface Converted {
  schema: JsonSchema;
  /** The named schemas it refers to, by name. */
  components: Record<string, JsonSchema>;
}

/**
 * A field that only code validates would be published without a type. `shaped` (input-shape.ts) adds one, and a test fails if a
 * request field has none.
 */
export function toJsonSchema(
  schema: z.core.$ZodType,
  names: ComponentNames = z.registry<{ id: string }>(),
): Converted {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    metadata: names,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => refine(zodSchema, jsonSchema),
  });
  const components = converted.$defs ?? {};
  delete converted.$schema;
  delete converted.$defs;
  for (const named of [converted, ...Object.values(components)]) delete named.id;
  return rewriteRefs({ schema: converted, components });
}

/** Removes patterns that repeat a format, and the bounds of safe integers. */
function refine(zodSchema: z.core.$ZodType, json: JsonSchema): void {
  refineByShape(zodSchema, json);
  const { description } = z.globalRegistry.get(zodSchema) ?? {};
  if (description !== undefined) json.description = description;
  if (json.format !== undefined) delete json.pattern;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  // Fields may be added to resources (docs/requirements.md#fields), so clients must accept unknown ones.
  if (json.additionalProperties === false) delete json.additionalProperties;
  if (json.additionalProperties && Object.keys(json.additionalProperties).length === 0) {
    json.additionalProperties = true;
  }
  if (json.propertyNames && JSON.stringify(json.propertyNames) === '{"type":"string"}') {
    delete json.propertyNames;
  }
}

function refineByShape(zodSchema: z.core.$ZodType, json: JsonSchema): void {
  const shape = shapeOf(zodSchema);
  const other = readBehindPipe(zodSchema);
  if (shape?.is) replace(json, shape.is);
  else if (other) replace(json, toJsonSchema(other).schema);
  if (shape) applyShape(json, shape);
}

/** In `string.transform(…).pipe(inner)` and `object.pipe(inner)`, `inner` describes the accepted input. */
function readBehindPipe(zodSchema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (!(zodSchema instanceof z.ZodPipe)) return undefined;
  const { in: sent, out } = zodSchema.def;
  return sent instanceof z.ZodTransform || out instanceof z.ZodTransform ? undefined : out;
}

function applyShape(json: JsonSchema, shape: InputShape): void {
  Object.assign(json, shape.more);
  if (shape.also) replace(json, { anyOf: [{ ...json }, ...shape.also] });
  if (shape.required && json.type === 'string' && !json.enum && !json.format) {
    json.minLength ??= 1;
    json.pattern ??= '\\S';
  }
  if (shape.nullable) allowNull(json);
  if (shape.default !== undefined) json.default = shape.default as NonNullable<JsonSchema['default']>;
}

function allowNull(json: JsonSchema): void {
  const [only, ...others] = (json.anyOf ?? []).filter(({ type }) => type !== 'null');
  // One schema with two types is easier to read than a choice with null.
  if (only?.type !== undefined && others.length === 0) {
    delete json.anyOf;
    Object.assign(json, only);
  }
  if (json.anyOf) json.anyOf = [only ?? {}, ...others, { type: 'null' }];
  if (json.enum) json.enum = [...new Set([...json.enum, null])];
  const types = [json.type ?? []].flat();
  if (types.length > 0) json.type = [...new Set([...types, 'null' as const])];
}

function replace(json: JsonSchema, by: JsonSchema): void {
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(json, by);
}

/** zod puts named schemas next to the schema that uses them; OpenAPI has one place for all. */
function rewriteRefs<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : inner,
    ),
  );
}
