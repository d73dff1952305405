/**
 * What a type of IVR node says of itself: its data and, from the data, everything a checker, a builder or the interpreter asks
 * about it without knowing the type.
 */
import { z } from 'zod';
import { shaped } from '../openapi/input-shape.ts';
import { integer, MAX_INTEGER, required } from '../v1/fields/fields.ts';

/** The exit of an edge without a `sourceHandle`. */
export const NEXT = 'next';

/** A place in a node's data, as it is named in an error: `targetId` → `structure.nodes[3].data.targetId`. */
export type DataField = string;

export interface NodeFacts {
  /** Every exit by which an edge may leave. An exit without an edge ends the flow: see core's ivr/README.md. */
  exits: readonly string[];
  /** Exits that must have an edge, each with the field that asks for it; null: the node itself does. */
  needed: readonly { exit: string; field: DataField | null }[];
  /** The caller hears or enters something here, so that a loop through it is not endless at once. */
  takesTime: boolean;
  /** Audio assets of the tenant. */
  audio: readonly { id: number; field: DataField }[];
  /** Whom the caller is handed to. */
  target: { type: TargetType; id: number; field: DataField } | null;
}

export const targetTypes = ['queue', 'agent'] as const;
export type TargetType = (typeof targetTypes)[number];

export interface NodeDefinition<Data extends z.ZodType> {
  /** What a builder calls it. */
  title: string;
  data: Data;
  facts: (data: z.output<Data>) => NodeFacts;
}
export const defineNode = <Data extends z.ZodType>(definition: NodeDefinition<Data>) => definition;

/** A node of which nothing is special but what is given. */
export const facts = (special: Partial<NodeFacts>): NodeFacts => ({
  exits: [],
  needed: [],
  takesTime: false,
  audio: [],
  target: null,
  ...special,
});

/** Words of a structure are lower case in responses; any case is read (docs/requirements.md#fields). */
export const lowercaseEnum = <const T extends readonly [string, ...string[]]>(values: T) =>
  shaped(
    z
      .string()
      .transform((text) => text.trim().toLowerCase())
      .pipe(z.enum(values)),
    { is: { type: 'string', enum: [...values] } },
  );

/** A numeric id from a response; refs are not used inside a structure. */
export const nodeId = required(integer(1, MAX_INTEGER));

/** Data with the fields a type needs; what else a builder keeps there stays. */
export const dataOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape);
