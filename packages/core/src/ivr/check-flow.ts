/**
 * Checks whether a structure is a valid flow: one start, unique exits, every node reachable, existing targets, no loop in which nothing
 * happens. Pure; each field has been validated before.
 */
import { exitOf, factsOf } from '@clarion/protocol/ivr/structure';
import type { IvrStructure } from '@clarion/protocol/ivr/structure';
import type { NodeFacts } from '@clarion/protocol/ivr/node';

/** IDs of the tenant's entities to which a structure may refer. */
export interface FlowReferences {
  queues: ReadonlySet<number>;
  agents: ReadonlySet<number>;
  audioAssets: ReadonlySet<number>;
}

export interface FlowProblem {
  /** The path as sent: `structure.nodes[3].data.targetId`. */
  field: string;
  /** Follows the path: "must …". */
  message: string;
}

interface Node {
  index: number;
  id: string;
  facts: NodeFacts;
}
interface Edge {
  index: number;
  source: Node;
  target: Node;
  exit: string;
}

/** The IDs in the structure that must be looked up to check it. */
export function namedBy(structure: IvrStructure): {
  queues: number[];
  agents: number[];
  audioAssets: number[];
} {
  const facts = structure.nodes.map(factsOf);
  const targets = (type: 'queue' | 'agent') =>
    unique(facts.flatMap(({ target }) => (target?.type === type ? [target.id] : [])));
  return {
    queues: targets('queue'),
    agents: targets('agent'),
    audioAssets: unique(facts.flatMap(({ audio }) => audio.map(({ id }) => id))),
  };
}

const unique = (ids: number[]) => [...new Set(ids)];

/** The first problem, or null. */
export function checkFlow(structure: IvrStructure, world: FlowReferences): FlowProblem | null {
  return flowProblems(structure, world).next().value ?? null;
}

/** Every problem, in the order in which they are best fixed: the flow builder shows all of them, the API returns the first. */
export function* flowProblems(
  structure: IvrStructure,
  world: FlowReferences,
): Generator<FlowProblem, undefined> {
  const nodes = new Map<string, Node>();
  for (const [index, node] of structure.nodes.entries()) {
    if (nodes.has(node.id)) yield at(`nodes[${index}].id`, `is already the ID of another node`);
    else nodes.set(node.id, { index, id: node.id, facts: factsOf(node) });
  }
  const [start, ...more] = structure.nodes.flatMap(({ id, type }) =>
    type === 'ivr_start' ? (nodes.get(id) ?? []) : [],
  );
  if (!start) yield at('nodes', 'must have one node of type ivr_start');
  for (const { index } of more)
    yield at(`nodes[${index}].type`, 'must not be a second node of type ivr_start');

  const edges: Edge[] = [];
  const taken = new Map<Node, Set<string>>();
  for (const [index, edge] of structure.edges.entries()) {
    const source = nodes.get(edge.source);
    const target = nodes.get(edge.target);
    if (!source) yield at(`edges[${index}].source`, 'must be the ID of a node');
    else if (!target) yield at(`edges[${index}].target`, 'must be the ID of a node');
    else {
      const exit = exitOf(edge);
      const { exits } = source.facts;
      const used = taken.get(source) ?? new Set();
      taken.set(source, used);
      if (!exits.includes(exit)) yield at(`edges[${index}].sourceHandle`, noSuchExit(exits));
      else if (used.has(exit))
        yield at(`edges[${index}].sourceHandle`, `must not be used twice: ${exit} has an edge already`);
      used.add(exit);
      edges.push({ index, source, target, exit });
    }
  }
  yield* exitsWithoutEdge(nodes, taken);
  if (start) yield* unreachable(nodes, start, edges);
  const loop = emptyLoop(nodes, edges);
  if (loop) yield loop;
  yield* targetsThatAreMissing(nodes, world);
}

const at = (field: string, message: string): FlowProblem => ({ field: `structure.${field}`, message });

const noSuchExit = (exits: readonly string[]) =>
  exits.length === 0
    ? 'is not allowed: a node of this type has no exits'
    : `must be one of ${exits.join(' ')} here`;

function* exitsWithoutEdge(
  nodes: Map<string, Node>,
  taken: Map<Node, Set<string>>,
): Generator<FlowProblem, undefined> {
  for (const node of nodes.values()) {
    for (const { exit, field } of node.facts.needed) {
      if (taken.get(node)?.has(exit)) continue;
      const where = `nodes[${node.index}]`;
      yield at(field === null ? where : `${where}.data.${field}`, `must have an edge for the exit ${exit}`);
    }
  }
}

function* unreachable(
  nodes: Map<string, Node>,
  start: Node,
  edges: Edge[],
): Generator<FlowProblem, undefined> {
  const reached = new Set([start]);
  const out = Map.groupBy(edges, ({ source }) => source);
  for (const node of reached) {
    for (const { target } of out.get(node) ?? []) reached.add(target);
  }
  for (const node of nodes.values()) {
    if (!reached.has(node)) yield at(`nodes[${node.index}]`, 'must be reachable from the start node');
  }
}

/** A loop through nodes in which the caller neither hears nor enters anything would never end. */
function emptyLoop(nodes: Map<string, Node>, edges: Edge[]): FlowProblem | null {
  const silent = Map.groupBy(
    edges.filter(({ source, target }) => !source.facts.takesTime && !target.facts.takesTime),
    ({ source }) => source,
  );
  const done = new Set<Node>();
  for (const root of nodes.values()) {
    // Depth first with an explicit stack: its nodes are the path from the root.
    const way: { node: Node; left: Edge[] }[] = done.has(root)
      ? []
      : [{ node: root, left: [...(silent.get(root) ?? [])] }];
    for (let top = way.at(-1); top; top = way.at(-1)) {
      const edge = top.left.pop();
      if (!edge) {
        done.add(top.node);
        way.pop();
      } else if (way.some(({ node }) => node === edge.target)) {
        return at(
          `edges[${edge.index}]`,
          'must not complete a loop in which the caller neither hears audio nor enters digits',
        );
      } else if (!done.has(edge.target)) {
        way.push({ node: edge.target, left: [...(silent.get(edge.target) ?? [])] });
      }
    }
  }
  return null;
}

function* targetsThatAreMissing(
  nodes: Map<string, Node>,
  world: FlowReferences,
): Generator<FlowProblem, undefined> {
  for (const { index, facts } of nodes.values()) {
    const { target, audio } = facts;
    const known = target?.type === 'agent' ? world.agents : world.queues;
    if (target && !known.has(target.id)) {
      const message =
        target.type === 'agent'
          ? 'must be the ID of an agent of the tenant'
          : 'must be the ID of a queue of the tenant';
      yield at(`nodes[${index}].data.${target.field}`, message);
    }
    for (const { id, field } of audio) {
      if (!world.audioAssets.has(id))
        yield at(`nodes[${index}].data.${field}`, 'must be the ID of an audio asset of the tenant');
    }
  }
}
