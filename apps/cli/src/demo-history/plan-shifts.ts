/** The agents' shifts. Pure. */
import { castAgents } from './cast.ts';
import type { CastAgent, CastRef } from './cast.ts';
import type { PlannedShift } from './plan.ts';
import type { Random } from './random.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const LUNCH_MS = 45 * 60_000;
/** Agents start and end a few minutes early or late. */
const LATE_MS = 8 * 60_000;
const AWAY = 0.05;
const SATURDAY = 6;

/** @param days midnights, UTC */
export function planShifts(random: Random, days: readonly number[], until: number): PlannedShift[] {
  return days.flatMap((day) =>
    castAgents.flatMap((agent) => {
      if (!works(agent, day) || random.chance(AWAY)) return [];
      const begins = day + agent.from * HOUR_MS + random.between(-LATE_MS / 2, LATE_MS);
      const lunch = day + agent.lunchAt * HOUR_MS + random.between(-LATE_MS, LATE_MS);
      const ends = day + agent.to * HOUR_MS + random.between(-LATE_MS / 2, LATE_MS);
      return [
        { agentRef: agent.ref, startedAt: begins, endedAt: lunch },
        { agentRef: agent.ref, startedAt: lunch + LUNCH_MS, endedAt: ends },
      ].flatMap((shift) =>
        shift.startedAt >= until ? [] : [{ ...shift, endedAt: Math.min(shift.endedAt, until) }],
      );
    }),
  );
}

function works({ saturdays }: CastAgent, day: number): boolean {
  const weekday = new Date(day).getUTCDay();
  return weekday === SATURDAY ? saturdays : weekday !== 0;
}

export const isOnShift = (shifts: readonly PlannedShift[], agentRef: CastRef, at: number): boolean =>
  shifts.some((shift) => shift.agentRef === agentRef && shift.startedAt <= at && at < shift.endedAt);
