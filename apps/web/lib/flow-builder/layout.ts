/** Places the nodes of a flow from left to right, as a caller meets them. Loaded when it is asked for. */
import dagre from '@dagrejs/dagre';
import type { Draft, Point } from './draft.ts';
import { USUAL_SIZE } from './sizes.ts';
import type { Size } from './sizes.ts';

const BETWEEN_RANKS = 96;
const BETWEEN_NODES = 32;

/** @param sizes of the nodes as they are drawn */
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
  return new Map(
    nodes.map(({ id }) => {
      const { x, y, width, height } = graph.node(id);
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }];
    }),
  );
}
