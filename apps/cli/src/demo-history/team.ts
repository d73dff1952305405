/** Which agents are idle at which time. Stateful: it records when agents become idle again. */
import type { CastRef } from './cast.ts';
import { isOnShift } from './plan-shifts.ts';
import type { PlannedShift } from './plan.ts';
import type { Random } from './random.ts';

/** The pause between two calls. */
const PAUSE_MS = { min: 4_000, max: 25_000 };

export interface Team {
  /** Those of `refs` who are on shift and idle at this time, longest idle first. */
  freeAt(refs: readonly CastRef[], at: number): CastRef[];
  /** The first time from `at` on, before `until`, at which one of `refs` is on shift and idle; null: none. */
  nextFree(refs: readonly CastRef[], at: number, until: number): number | null;
  occupy(ref: CastRef, until: number): void;
}

const CHECK_INTERVAL_MS = 1_000;

export function createTeam(shifts: readonly PlannedShift[], random: Random): Team {
  const busyUntil = new Map<CastRef, number>();
  const isFree = (ref: CastRef, at: number) => (busyUntil.get(ref) ?? 0) <= at && isOnShift(shifts, ref, at);
  const freeAt = (refs: readonly CastRef[], at: number) =>
    refs
      .filter((ref) => isFree(ref, at))
      .toSorted((a, b) => (busyUntil.get(a) ?? 0) - (busyUntil.get(b) ?? 0));
  return {
    freeAt,
    nextFree(refs, at, until) {
      for (let moment = at; moment < until; moment += CHECK_INTERVAL_MS) {
        if (refs.some((ref) => isFree(ref, moment))) return moment;
      }
      return null;
    },
    occupy: (ref, until) => void busyUntil.set(ref, until + random.between(PAUSE_MS.min, PAUSE_MS.max)),
  };
}
