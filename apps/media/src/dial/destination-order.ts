/** The order in which destinations of a carrier are tried (RFC 2782). Pure. */

export interface Weighted {
  /** Lower values first. */
  priority: number;
  /** The share of calls that try it first, among destinations of equal priority. */
  weight: number;
}

/** @param random returns numbers from 0 to below 1 */
export function inOrder<D extends Weighted>(destinations: readonly D[], random: () => number): D[] {
  const priorities = [...new Set(destinations.map(({ priority }) => priority))].sort((a, b) => a - b);
  return priorities.flatMap((priority) =>
    byWeight(
      destinations.filter((destination) => destination.priority === priority),
      random,
    ),
  );
}

/** The selection of RFC 2782: running sums, with weight 0 first, so that it is rarely selected. */
function byWeight<D extends Weighted>(equal: readonly D[], random: () => number): D[] {
  const left = [...equal].sort((a, b) => Number(a.weight > 0) - Number(b.weight > 0));
  const ordered: D[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    const drawn = Math.floor(random() * (total + 1));
    let sum = 0;
    const index = left.findIndex(({ weight }) => (sum += weight) >= drawn);
    ordered.push(...left.splice(Math.max(0, index), 1));
  }
  return ordered;
}
