/** "Did you mean": the page names most similar to an unknown name. */
import type { DocPage } from './page.ts';

const MAX_SUGGESTIONS = 3;

export function nearestNames(asked: string, pages: readonly DocPage[]): string[] {
  return pages
    .map(({ name, title }) => ({ name, distance: distanceTo(asked, name, title) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** The smallest distance to the whole name, its last part or the title, relative to the length. */
function distanceTo(asked: string, name: string, title: string): number {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const lastAsked = asked.slice(asked.lastIndexOf('/') + 1);
  const pairs = [
    [asked, name],
    [lastAsked, last],
    [lastAsked.replaceAll('-', ' '), title.toLowerCase()],
  ] as const;
  return Math.min(
    ...pairs.map(([a, b]) => {
      const contained = a.length > 2 && b.includes(a) ? 0.5 : 1;
      return (contained * editDistance(a, b)) / Math.max(a.length, b.length, 1);
    }),
  );
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
