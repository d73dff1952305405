/** The result of every comparison: figures of both sides for each round, and the goal for their ratio. Pure. */

export interface Row {
  name: string;
  unit: string;
  /** One figure per round. */
  ours: number[];
  /** Null: the peer is not installed on this machine. */
  peer: { name: string; figures: number[] } | null;
  /** ours ÷ peer: the goal, and the limit. */
  goal: number;
  limit: number;
  /** RTP packets lost in all rounds, ours and the peer's. */
  lost: { ours: number; peer: number };
  note?: string;
}

export interface Spread {
  median: number;
  lowest: number;
  highest: number;
}

export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median =
    sorted.length % 2 === 1
      ? sorted[Math.floor(middle)]
      : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
  return {
    median: median ?? Number.NaN,
    lowest: sorted[0] ?? Number.NaN,
    highest: sorted.at(-1) ?? Number.NaN,
  };
}

/** Ratio of the two figures of each round, because other load on the machine affects both. */
export function ratiosOf({ ours, peer }: Row): number[] {
  return peer ? ours.map((figure, round) => figure / (peer.figures[round] ?? Number.NaN)) : [];
}

export type Verdict = 'met' | 'within the limit' | 'missed' | 'no peer';

export function verdictOf(row: Row): Verdict {
  if (!row.peer) return 'no peer';
  const { median } = spreadOf(ratiosOf(row));
  if (median <= row.goal) return 'met';
  return median <= row.limit ? 'within the limit' : 'missed';
}
