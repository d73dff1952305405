/**
 * Describes the accepted input of a field next to the code that parses it. zod cannot derive JSON Schema from a preprocess or a
 * transform, so the helpers of `v1/fields/` attach a shape to the schemas that they create. Refined and described copies keep it.
 */
import type { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface InputShape {
  /** Keywords that replace those that zod derives. */
  is?: JsonSchema;
  /** Keywords that are added to those that zod derives. */
  more?: JsonSchema;
  /** Schemas that are accepted in addition. */
  also?: JsonSchema[];
  /** Null is accepted (as omitted, unless the description specifies otherwise). */
  nullable?: true;
  /** A blank string counts as missing. */
  required?: true;
  /** The value that a PUT sets if the field is omitted. */
  default?: unknown;
}

const shapes = new WeakMap<z.core.$ZodType, InputShape>();

/** Attaches a shape and returns the same schema. */
export function shaped<T extends z.core.$ZodType>(schema: T, shape: InputShape): T {
  shapes.set(schema, shape);
  return schema;
}

export function shapeOf(schema: z.core.$ZodType): InputShape | undefined {
  const { parent } = schema._zod;
  return shapes.get(schema) ?? (parent && shapeOf(parent));
}
