/**
 * The definition of an IVR node type: the schema of its data, and the facts that the flow check, the flow builder and the interpreter
 * derive from the data without depending on the type.
 */
import { z } from 'zod';
import { shaped } from '../openapi/input-shape.ts';
import { integer, MAX_INTEGER, required } from '../v1/fields/fields.ts';

/** The exit of an edge without a `sourceHandle`. */
export const NEXT = 'next';

/** The path of a field in a node's data; errors name it in full: `targetId` → `structure.nodes[3].data.targetId`. */
export type DataField = string;

export interface NodeFacts {
  /** All exits from which an edge may start. An exit without an edge ends the flow: see core's ivr/README.md. */
  exits: readonly string[];
  /** Exits that must have an edge, each with the field that requires it; null: the node itself requires it. */
  needed: readonly { exit: string; field: DataField | null }[];
  /** The caller hears or enters something here, so a loop through this node takes time. */
  takesTime: boolean;
  /** The audio assets that the node plays. */
  audio: readonly { id: number; field: DataField }[];
  /** The queue or agent to which the caller is transferred. */
  target: { type: TargetType; id: number; field: DataField } | null;
}

export const targetTypes = ['queue', 'agent'] as const;
export type TargetType = (typeof targetTypes)[number];

export interface NodeDefinition<Data extends z.ZodType> {
  /** The name in the flow builder. */
  title: string;
  data: Data;
  facts: (data: z.output<Data>) => NodeFacts;
}
export const defineNode = <Data extends z.ZodType>(definition: NodeDefinition<Data>) => definition;

/** Facts with defaults for those that are not given. */
export const facts = (special: Partial<NodeFacts>): NodeFacts => ({
  exits: [],
  needed: [],
  takesTime: false,
  audio: [],
  target: null,
  ...special,
});

/** An enum of a structure: case-insensitive in requests, lowercase in responses (docs/requirements.md#fields). */
export const lowercaseEnum = <const T extends readonly [string, ...string[]]>(values: T) =>
  shaped(
    z
      .string()
      .transform((text) => text.trim().toLowerCase())
      .pipe(z.enum(values)),
    { is: { type: 'string', enum: [...values] } },
  );

/** A numeric ID from a response; structures do not contain refs. */
export const nodeId = required(integer(1, MAX_INTEGER));

/** The data of a node type. Additional fields of a builder are kept. */
export const dataOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape);
