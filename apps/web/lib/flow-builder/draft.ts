/**
 * A flow while it is drawn: what `PUT /v1/tenants/{tenantRef}/ivr-flows/{flowRef}` takes, but of which anything may still be missing. Pure:
 * each change gives a new draft. What somebody else's builder kept in nodes, edges and structure stays.
 */
import type { IvrNodeType } from '@clarion/protocol/ivr/structure';
import type { IvrFlowResource } from '@clarion/protocol/v1/tenant/ivr-flows';

export interface Point {
  x: number;
  y: number;
}
export interface DraftNode {
  id: string;
  type: IvrNodeType;
  /** Stored in the structure, in pixels of the canvas; null: not positioned yet. */
  position: Point | null;
  data: Record<string, unknown>;
  /** Whatever else the node carries. */
  rest: Record<string, unknown>;
}
export interface DraftEdge {
  source: string;
  target: string;
  exit: string;
  rest: Record<string, unknown>;
}
export interface Draft {
  name: string;
  channelRef: string;
  status: IvrFlowResource['status'];
  triggerCondition: IvrFlowResource['triggerCondition'];
  nodes: readonly DraftNode[];
  edges: readonly DraftEdge[];
  rest: Record<string, unknown>;
}

/** `ALWAYS` for anything that is no trigger. */
export const triggerOf = (word: string): Draft['triggerCondition'] =>
  word === 'ALL_AGENTS_OFFLINE' || word === 'ALL_AGENTS_BUSY' ? word : 'ALWAYS';

/** As core's interpreter reads an edge without a handle. */
const NEXT = 'next';

export function draftOf(flow: IvrFlowResource): Draft {
  const { nodes, edges, ...rest } = flow.structure as Record<string, unknown> & {
    nodes: (Record<string, unknown> & { id: string; type: IvrNodeType; data?: Record<string, unknown> })[];
    edges: (Record<string, unknown> & { source: string; target: string; sourceHandle?: string | null })[];
  };
  return {
    name: flow.name,
    channelRef: flow.channelRef,
    status: flow.status,
    triggerCondition: flow.triggerCondition,
    nodes: nodes.map(({ id, type, data, position, ...more }) => ({
      id,
      type,
      data: data ?? {},
      position: isPoint(position) ? position : null,
      rest: more,
    })),
    edges: edges.map(({ source, target, sourceHandle, ...more }) => ({
      source,
      target,
      exit: sourceHandle ?? NEXT,
      rest: more,
    })),
    rest,
  };
}

const isPoint = (value: unknown): value is Point =>
  typeof value === 'object' &&
  value !== null &&
  'x' in value &&
  'y' in value &&
  Number.isFinite(value.x) &&
  Number.isFinite(value.y);

/** Whether both would be stored alike. */
export const isSame = (one: Draft, other: Draft): boolean =>
  one === other || JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other));

/** The body to PUT. */
export const bodyOf = (draft: Draft) => ({
  name: draft.name,
  channel_ref: draft.channelRef,
  status: draft.status,
  trigger_condition: draft.triggerCondition,
  structure: structureOf(draft),
});

export const structureOf = ({ nodes, edges, rest }: Pick<Draft, 'nodes' | 'edges' | 'rest'>) => ({
  ...rest,
  nodes: nodes.map(({ id, type, position, data, rest: more }) => ({
    ...more,
    id,
    type,
    data,
    ...(position && { position: { x: Math.round(position.x), y: Math.round(position.y) } }),
  })),
  edges: edges.map(({ source, target, exit, rest: more }) => ({
    ...more,
    source,
    target,
    ...(exit !== NEXT && { sourceHandle: exit }),
  })),
});

export const nodeById = (draft: Pick<Draft, 'nodes'>, id: string | null): DraftNode | undefined =>
  draft.nodes.find((node) => node.id === id);

export const targetOfExit = (draft: Pick<Draft, 'edges'>, source: string, exit: string): string | null =>
  draft.edges.find((edge) => edge.source === source && edge.exit === exit)?.target ?? null;

/** `menu`, `menu-2`: what an event's `nodeName` says of a node without a name. */
export function freeId(taken: ReadonlySet<string>, type: IvrNodeType): string {
  const stem = type.replace(/^ivr_/, '');
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? stem : `${stem}-${count}`;
    if (!taken.has(id)) return id;
  }
}

export const idsOf = (draft: Pick<Draft, 'nodes'>): Set<string> => new Set(draft.nodes.map(({ id }) => id));

export const addNode = (draft: Draft, node: Omit<DraftNode, 'rest'>): Draft => ({
  ...draft,
  nodes: [...draft.nodes, { ...node, rest: {} }],
});

/** An exit leads to one place: what it led to before is let go. */
export const connect = (draft: Draft, source: string, exit: string, target: string): Draft =>
  targetOfExit(draft, source, exit) === target
    ? draft
    : { ...draft, edges: [...without(draft.edges, source, exit), { source, target, exit, rest: {} }] };

/** An edge is taken from one place to another, as one change. */
export const reconnect = (
  draft: Draft,
  before: Pick<DraftEdge, 'source' | 'exit'>,
  { source, exit, target }: Omit<DraftEdge, 'rest'>,
): Draft =>
  edgeId(before) === edgeId({ source, exit })
    ? connect(draft, source, exit, target)
    : connect(disconnect(draft, before.source, before.exit), source, exit, target);

export const disconnect = (draft: Draft, source: string, exit: string): Draft =>
  targetOfExit(draft, source, exit) === null
    ? draft
    : { ...draft, edges: without(draft.edges, source, exit) };

const without = (edges: readonly DraftEdge[], source: string, exit: string) =>
  edges.filter((edge) => edge.source !== source || edge.exit !== exit);

/** What an edge is known by on the page: an exit leads to one place. */
export const edgeId = ({ source, exit }: Pick<DraftEdge, 'source' | 'exit'>): string => `${source} ${exit}`;

const NO_EDGES: ReadonlySet<string> = new Set();

/** With the edges that touch them, and these edges. The start stays: a flow has one. The same draft where nothing of it goes. */
export function remove(
  draft: Draft,
  nodeIds: ReadonlySet<string>,
  edgeIds: ReadonlySet<string> = NO_EDGES,
): Draft {
  const nodes = draft.nodes.filter(({ id, type }) => !nodeIds.has(id) || type === 'ivr_start');
  const left = idsOf({ nodes });
  const isLeft = (id: string) => !nodeIds.has(id) || left.has(id);
  const edges = draft.edges.filter(
    (edge) => !edgeIds.has(edgeId(edge)) && isLeft(edge.source) && isLeft(edge.target),
  );
  const isSame = nodes.length === draft.nodes.length && edges.length === draft.edges.length;
  return isSame ? draft : { ...draft, nodes, edges };
}

export const setData = (draft: Draft, id: string, data: Record<string, unknown>): Draft => ({
  ...draft,
  nodes: draft.nodes.map((node) => (node.id === id ? { ...node, data } : node)),
});

/** The same draft where they stand there already. */
export function place(draft: Draft, positions: ReadonlyMap<string, Point>): Draft {
  const isThere = ({ id, position }: DraftNode) => {
    const { x, y } = positions.get(id) ?? position ?? {};
    return position?.x === x && position?.y === y;
  };
  if (draft.nodes.every(isThere)) return draft;
  return {
    ...draft,
    nodes: draft.nodes.map((node) => ({ ...node, position: positions.get(node.id) ?? node.position })),
  };
}

/** What was copied: nodes, and the edges between them. */
export type Clip = Pick<Draft, 'nodes' | 'edges'>;

export const copy = (draft: Draft, ids: ReadonlySet<string>): Clip => ({
  nodes: draft.nodes.filter(({ id, type }) => ids.has(id) && type !== 'ivr_start'),
  edges: draft.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
});

const PASTE_OFFSET = 40;

/** How far copies stand from what was copied: far enough that none hides a node that is there. */
function pasteOffset(draft: Draft, clip: Clip): number {
  const isHidden = (offset: number) =>
    clip.nodes.some(({ position: from }) =>
      draft.nodes.some(
        ({ position: at }) =>
          from &&
          at &&
          Math.abs(from.x + offset - at.x) < PASTE_OFFSET / 2 &&
          Math.abs(from.y + offset - at.y) < PASTE_OFFSET / 2,
      ),
    );
  let offset = 0;
  while (isHidden(offset)) offset += PASTE_OFFSET;
  return offset;
}

/** @returns the draft with the copies in it, and their ids */
export function paste(draft: Draft, clip: Clip): { draft: Draft; pasted: Set<string> } {
  const offset = pasteOffset(draft, clip);
  const taken = idsOf(draft);
  const named = new Map<string, string>();
  const nodes = clip.nodes.map((node) => {
    const id = freeId(taken, node.type);
    taken.add(id);
    named.set(node.id, id);
    const position = node.position && {
      x: node.position.x + offset,
      y: node.position.y + offset,
    };
    return { ...node, id, position };
  });
  const edges = clip.edges.flatMap((edge) => {
    const source = named.get(edge.source);
    const target = named.get(edge.target);
    return source !== undefined && target !== undefined ? [{ ...edge, source, target }] : [];
  });
  return {
    draft: { ...draft, nodes: [...draft.nodes, ...nodes], edges: [...draft.edges, ...edges] },
    pasted: new Set(named.values()),
  };
}

/** Nodes in the order in which a caller meets them, those that no way leads to last. */
export function inWalkOrder(draft: Pick<Draft, 'nodes' | 'edges'>): DraftNode[] {
  const start = draft.nodes.find(({ type }) => type === 'ivr_start');
  const met = new Set(start ? [start.id] : []);
  for (const id of met) for (const edge of draft.edges) if (edge.source === id) met.add(edge.target);
  const known = new Map(draft.nodes.map((node) => [node.id, node]));
  const walked = [...met].flatMap((id) => known.get(id) ?? []);
  return [...walked, ...draft.nodes.filter(({ id }) => !met.has(id))];
}
