/** Who of the team is free when. Pure but for what it remembers. */
import type { CastRef } from './cast.ts';
import { isOnShift } from './plan-shifts.ts';
import type { PlannedShift } from './plan.ts';
import type { Random } from './random.ts';

/** A moment to breathe between two calls. */
const BREATH_MS = { min: 4_000, max: 25_000 };

export interface Team {
  /** Those of `refs` who are on shift and free at this moment, longest idle first. */
  freeAt(refs: readonly CastRef[], at: number): CastRef[];
  /** The first moment from `at` on, before `until`, at which one of `refs` is there and free; null: nobody is. */
  nextFree(refs: readonly CastRef[], at: number, until: number): number | null;
  occupy(ref: CastRef, until: number): void;
}

const LOOK_EVERY_MS = 1_000;

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
      for (let moment = at; moment < until; moment += LOOK_EVERY_MS) {
        if (refs.some((ref) => isFree(ref, moment))) return moment;
      }
      return null;
    },
    occupy: (ref, until) => void busyUntil.set(ref, until + random.between(BREATH_MS.min, BREATH_MS.max)),
  };
}
