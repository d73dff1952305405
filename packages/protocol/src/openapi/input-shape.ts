/**
 * What a field takes, said once beside the code that reads it: JSON Schema cannot see through a preprocess or a transform, so
 * the helpers of `v1/fields.ts` leave a note on the schemas they make. A refined or described copy keeps its note.
 */
import type { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface InputShape {
  /** Keywords that replace what zod says of the schema. */
  is?: JsonSchema;
  /** Keywords that join what zod says. */
  more?: JsonSchema;
  /** Taken as well as what zod says. */
  also?: JsonSchema[];
  /** Null is taken (it counts as left out, unless the description says otherwise). */
  nullable?: true;
  /** A blank text counts as missing. */
  required?: true;
  /** What a PUT sets when it is left out. */
  default?: unknown;
}

const shapes = new WeakMap<z.core.$ZodType, InputShape>();

/** Leaves the note and gives the same schema back. */
export function shaped<T extends z.core.$ZodType>(schema: T, shape: InputShape): T {
  shapes.set(schema, shape);
  return schema;
}

export function shapeOf(schema: z.core.$ZodType): InputShape | undefined {
  const { parent } = schema._zod;
  return shapes.get(schema) ?? (parent && shapeOf(parent));
}
