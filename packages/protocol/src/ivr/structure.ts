/** The structure of an IVR flow: nodes and edges as drawn in a builder. Core's ivr/ checks the graph. */
import { z } from 'zod';
import { jsonObjectOf, optional, required, text } from '../v1/fields/fields.ts';
import { NEXT } from './node.ts';
import type { NodeFacts } from './node.ts';
import { ivrNodes, ivrNodeTypes } from './nodes/index.ts';
import type { IvrDataOf, IvrNodeType } from './nodes/index.ts';

export const MAX_NODES = 200;
export const MAX_EDGES = 1000;
/** Of the whole structure as JSON in UTF-8, including additional fields of a builder. */
export const MAX_STRUCTURE_BYTES = 256 * 1024;
const NODE_ID_MAX_CHARS = 100;

const nodeName = required(text(NODE_ID_MAX_CHARS));
/** Additional fields of a builder (position, label, width) are kept unchanged. */
const node = <T extends IvrNodeType, Data extends z.ZodType>(type: T, { data }: { data: Data }) =>
  z.looseObject({ id: nodeName, type: z.literal(type), data });

const nodes = z.discriminatedUnion(
  'type',
  [
    node('ivr_start', ivrNodes.ivr_start),
    node('ivr_menu', ivrNodes.ivr_menu),
    node('ivr_transfer', ivrNodes.ivr_transfer),
    node('ivr_play', ivrNodes.ivr_play),
    node('ivr_gather', ivrNodes.ivr_gather),
    node('ivr_hours', ivrNodes.ivr_hours),
    node('ivr_hangup', ivrNodes.ivr_hangup),
  ],
  { error: `must be ${ivrNodeTypes.join(', ').replace(/, ([^,]*)$/, ' or $1')}` },
);

const edge = z.looseObject({
  source: nodeName,
  target: nodeName,
  /** The exit of the source node; `next` if omitted. */
  sourceHandle: optional(text(NODE_ID_MAX_CHARS)),
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lowercases the type, and treats omitted data as empty. */
const readable = (value: unknown) =>
  isRecord(value)
    ? {
        ...value,
        ...(typeof value['type'] === 'string' && { type: value['type'].trim().toLowerCase() }),
        data: value['data'] ?? {},
      }
    : value;

export const ivrStructure = z.looseObject({
  nodes: required(
    z.array(z.preprocess<unknown, typeof nodes, z.input<typeof nodes>>(readable, nodes)).max(MAX_NODES),
  ),
  edges: required(z.array(edge).max(MAX_EDGES)),
});
export type IvrStructure = z.output<typeof ivrStructure>;
export type IvrNode = IvrStructure['nodes'][number];
export type IvrEdge = IvrStructure['edges'][number];

/** As sent in a body: storable JSON of limited size. */
export const ivrStructureInput = jsonObjectOf(MAX_STRUCTURE_BYTES).pipe(ivrStructure);

/** The facts of a node of any type. */
export function factsOf(node: IvrNode): NodeFacts {
  switch (node.type) {
    case 'ivr_start':
      return ivrNodes.ivr_start.facts(node.data);
    case 'ivr_menu':
      return ivrNodes.ivr_menu.facts(node.data);
    case 'ivr_transfer':
      return ivrNodes.ivr_transfer.facts(node.data);
    case 'ivr_play':
      return ivrNodes.ivr_play.facts(node.data);
    case 'ivr_gather':
      return ivrNodes.ivr_gather.facts(node.data);
    case 'ivr_hours':
      return ivrNodes.ivr_hours.facts(node.data);
    case 'ivr_hangup':
      return ivrNodes.ivr_hangup.facts(node.data);
    default:
      return unknownNode(node);
  }
}

function unknownNode(node: never): never {
  throw new Error(`unknown node type: ${JSON.stringify(node)}`);
}

/** The exit from which an edge starts. */
export const exitOf = ({ sourceHandle }: Pick<IvrEdge, 'sourceHandle'>): string => sourceHandle ?? NEXT;

export type { IvrDataOf, IvrNodeType };
