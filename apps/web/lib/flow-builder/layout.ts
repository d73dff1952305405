/** Lays out the nodes of a flow from left to right in calling order. Loaded on demand. */
import dagre from '@dagrejs/dagre';
import type { Draft, Point } from './draft.ts';
import { BETWEEN_NODES, BETWEEN_RANKS, USUAL_SIZE } from './sizes.ts';
import type { Size } from './sizes.ts';

/** @param sizes the rendered sizes of the nodes */
export function layOut(
  { nodes, edges }: Pick<Draft, 'nodes' | 'edges'>,
  sizes: ReadonlyMap<string, Size>,
): Map<string, Point> {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ranksep: BETWEEN_RANKS, nodesep: BETWEEN_NODES });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { ...(sizes.get(id) ?? USUAL_SIZE) });
  for (const { source, target, exit } of edges) {
    if (graph.hasNode(source) && graph.hasNode(target)) graph.setEdge(source, target, {}, exit);
  }
  dagre.layout(graph);
  const at = new Map(
    nodes.map(({ id }) => {
      const { x, y, width, height } = graph.node(id);
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }];
    }),
  );
  for (const { id } of nodes) inOrderOfExits(id, edges, at, (node) => graph.node(node).height);
  return at;
}

/** Sorts the targets of keys from top to bottom, if they have no other edges. */
function inOrderOfExits(
  source: string,
  edges: Draft['edges'],
  at: Map<string, Point>,
  heightOf: (id: string) => number,
): void {
  const leaves = edges
    .filter((edge) => edge.source === source)
    .filter(({ target }) => edges.filter((edge) => edge.target === target).length === 1)
    .filter(({ target }) => !edges.some((edge) => edge.source === target))
    .toSorted((one, other) => one.exit.localeCompare(other.exit));
  const places = leaves.flatMap(({ target }) => at.get(target) ?? []);
  if (new Set(places.map(({ x }) => x)).size !== 1) return;
  const tops = places.map(({ y }) => y).toSorted((one, other) => one - other);
  let free = tops[0] ?? 0;
  for (const [index, { target }] of leaves.entries()) {
    const { x = 0 } = at.get(target) ?? {};
    const y = Math.max(free, tops[index] ?? 0);
    at.set(target, { x, y });
    free = y + heightOf(target) + BETWEEN_NODES;
  }
}
