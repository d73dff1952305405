/** Positions nodes that have no position: lays out the flow if none has one, otherwise puts them below the others. */
import { place } from './draft.ts';
import type { Draft, Point } from './draft.ts';

const BELOW_THE_REST = 160;
const BESIDE = 280;

export const isPlaced = ({ nodes }: Pick<Draft, 'nodes'>): boolean =>
  nodes.every(({ position }) => position !== null);

/** The same draft if every node has a position. */
export const placed = async (draft: Draft): Promise<Draft> =>
  isPlaced(draft) ? draft : place(draft, await positionsFor(draft));

async function positionsFor(draft: Draft): Promise<Map<string, Point>> {
  const known = draft.nodes.flatMap(({ position }) => position ?? []);
  if (known.length === 0) {
    const { layOut } = await import('./layout.ts');
    return layOut(draft, new Map());
  }
  const y = Math.max(...known.map((point) => point.y)) + BELOW_THE_REST;
  const x = Math.min(...known.map((point) => point.x));
  const lost = draft.nodes.filter(({ position }) => position === null);
  return new Map(lost.map(({ id }, index) => [id, { x: x + index * BESIDE, y }]));
}
