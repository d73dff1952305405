/**
 * The form fields of a node, derived from the schema of its data, so that a new node type has its panel without a change here. Only
 * the labels of the fields are elsewhere (labels.ts).
 */
import { toJsonSchema } from '@clarion/protocol/openapi/json-schema';
import type { JsonSchema } from '@clarion/protocol/openapi/input-shape';
import { factsIn, kindOf } from './kinds.ts';
import type { DraftNode } from './draft.ts';

export type FieldShape =
  | { kind: 'audio' }
  /** A queue or an agent of the tenant, depending on the target type of the node. */
  | { kind: 'target'; of: 'queue' | 'agent' }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'number'; min: number | null; max: number | null }
  | { kind: 'text'; maxLength: number | null; format: string | null }
  | { kind: 'time-zone' }
  | { kind: 'switch' }
  /** Some of a few fixed values. */
  | { kind: 'some'; values: readonly string[] }
  /** A list of texts. */
  | { kind: 'words'; most: number | null }
  /** Rows of fields. */
  | { kind: 'rows'; fields: readonly FieldSpec[]; most: number | null };

export interface FieldSpec {
  name: string;
  shape: FieldShape;
  required: boolean;
  /** The value if omitted. */
  fallback: unknown;
}

/** The fields of a node in the order of its schema. The choices of one field may depend on the values of others. */
export function fieldsOf(node: Pick<DraftNode, 'type' | 'data'>): FieldSpec[] {
  const { schema } = toJsonSchema(kindOf(node.type).data);
  const { audio, target } = factsIn(node);
  return specsOf(schema).map((spec) => {
    if (audio.some(({ field }) => field === spec.name)) return { ...spec, shape: { kind: 'audio' } };
    if (target?.field === spec.name)
      return { ...spec, shape: { kind: 'target', of: target.type === 'agent' ? 'agent' : 'queue' } };
    return spec;
  });
}

function specsOf(schema: JsonSchema): FieldSpec[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property === 'boolean') return [];
    const shape = shapeOf(name, property);
    const required = schema.required?.includes(name) ?? false;
    return shape ? [{ name, shape, required, fallback: property.default }] : [];
  });
}

function shapeOf(name: string, schema: JsonSchema): FieldShape | null {
  const type = [schema.type ?? []].flat().find((one) => one !== 'null');
  const values = enumOf(schema);
  if (values) return { kind: 'choice', values };
  switch (type) {
    case 'integer':
    case 'number':
      return { kind: 'number', min: schema.minimum ?? null, max: schema.maximum ?? null };
    case 'boolean':
      return { kind: 'switch' };
    case 'string':
      if (name === 'timezone') return { kind: 'time-zone' };
      return {
        kind: 'text',
        maxLength: schema.maxLength ?? null,
        format: schema.format ?? (schema.pattern?.includes('24:00') ? 'time' : null),
      };
    case 'array':
      return listOf(schema);
    default:
      return null;
  }
}

function listOf({ items, maxItems }: JsonSchema): FieldShape | null {
  if (typeof items !== 'object' || Array.isArray(items)) return null;
  const most = maxItems ?? null;
  const values = enumOf(items);
  if (values) return { kind: 'some', values };
  if (items.type === 'object') return { kind: 'rows', fields: specsOf(items), most };
  return { kind: 'words', most };
}

function enumOf({ enum: values }: JsonSchema): string[] | null {
  const words = values?.filter((value): value is string => typeof value === 'string') ?? [];
  return words.length > 0 ? words : null;
}
