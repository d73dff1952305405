/**
 * Two weeks of a small team's calls: mornings are busy, lunch is quiet, Saturdays are short, Sundays are closed. No agent is in two calls at
 * the same time, and callers wait only while all agents are busy. The same seed and time give the same calls. Pure.
 */
import { routeCustomers, castQueues, openHours } from './cast.ts';
import type { CastCustomer } from './cast.ts';
import { planInbound } from './plan-inbound.ts';
import { planOutbound } from './plan-outbound.ts';
import { DAY_MS, HOUR_MS, planShifts } from './plan-shifts.ts';
import type { PlannedCall, PlannedShift } from './plan.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';
import { createTeam } from './team.ts';

/** Today and the thirteen days before it. */
export const HISTORY_DAYS = 14;
/** The sample history ends before now, so that all its calls have ended. */
const QUIET_MS = 15 * 60_000;

/** Calls that start in each hour of a weekday, from midnight. */
const WEEKDAY = [0, 0, 0, 0, 0, 0, 0.2, 1, 6, 10, 11, 9, 5, 6, 9, 9, 7, 4, 1, 0.6, 0.4, 0.2, 0, 0];
const SATURDAY = [0, 0, 0, 0, 0, 0, 0, 0.3, 1, 4, 5, 4, 3, 3, 2, 2, 0.5, 0.3, 0.2, 0, 0, 0, 0, 0];
const SUNDAY = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0.4, 0.6, 0.7, 0.5, 0.5, 0.6, 0.5, 0.4, 0.3, 0.2, 0, 0, 0, 0, 0];
/** Mondays also have the calls that were not made at the weekend. */
const WEEKDAY_FACTOR = [1, 1.35, 1.1, 1, 0.95, 0.85, 1];
const OUTBOUND_SHARE = 0.2;
/** Some customers call often. */
const REGULAR = 0.35;
const REGULARS = 12;

export interface HistoryPlan {
  calls: PlannedCall[];
  shifts: PlannedShift[];
}

export function planHistory(seed: number, now: number, length = HISTORY_DAYS): HistoryPlan {
  const random = createRandom(seed);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const days = Array.from({ length }, (_, i) => today - (length - 1 - i) * DAY_MS);
  const until = now - QUIET_MS;
  const shifts = planShifts(random, days, until);
  const team = createTeam(shifts, random);
  const calls = arrivals(random, days, until).flatMap((createdAt): PlannedCall[] => {
    const customer = customerOf(random);
    const open = isOpen(createdAt);
    const call =
      open && random.chance(OUTBOUND_SHARE)
        ? planOutbound(random, team, customer, createdAt)
        : planInbound(random, team, customer, createdAt, open);
    return call && call.endedAt < until ? [call] : [];
  });
  return { calls: withRecordings(calls), shifts };
}

function arrivals(random: Random, days: readonly number[], until: number): number[] {
  const moments = days.flatMap((day) => {
    const weekday = new Date(day).getUTCDay();
    const shape = weekday === 0 ? SUNDAY : weekday === 6 ? SATURDAY : WEEKDAY;
    const factor = WEEKDAY_FACTOR[weekday] ?? 1;
    return shape.flatMap((expected, hour) => {
      const calls = Math.floor(expected * factor * (0.7 + 0.6 * random.next()) + random.next());
      return Array.from({ length: calls }, () => day + hour * HOUR_MS + random.between(0, HOUR_MS - 1));
    });
  });
  return moments.filter((at) => at < until).toSorted((a, b) => a - b);
}

export function isOpen(at: number): boolean {
  const weekday = new Date(at).getUTCDay();
  const hour = (at % DAY_MS) / HOUR_MS;
  if (weekday === 0) return false;
  const { from, to } = weekday === 6 ? openHours.saturdays : openHours.weekdays;
  return from <= hour && hour < to;
}

function customerOf(random: Random): CastCustomer {
  const index = random.chance(REGULAR)
    ? random.between(0, REGULARS - 1)
    : random.between(0, routeCustomers.length - 1);
  return routeCustomers[index] ?? { name: null, address: '+442079460000' };
}

/** The recorded conversations: their agent and duration. */
export const demoRecordings = [
  { name: 'parcel', queueRef: 'support', agentRef: 'ada', durationMs: 39_533 },
  { name: 'refund', queueRef: 'support', agentRef: 'ben', durationMs: 37_983 },
  { name: 'order', queueRef: 'sales', agentRef: 'cleo', durationMs: 32_238 },
] as const;
/** Each recording is used for this many of the latest calls. */
const CALLS_PER_RECORDING = 3;

/** The latest plain calls of a recording's agent get its duration. */
function withRecordings(calls: readonly PlannedCall[]): PlannedCall[] {
  const chosen = new Map<PlannedCall, (typeof demoRecordings)[number]>();
  for (const recording of demoRecordings) {
    calls
      .filter((call) => fits(call, recording))
      .slice(-CALLS_PER_RECORDING)
      .forEach((call) => chosen.set(call, recording));
  }
  return calls.map((call) => {
    const recording = chosen.get(call);
    if (!recording || call.answeredAt === null) return call;
    const { name, durationMs } = recording;
    return {
      ...call,
      recording: name,
      hold: null,
      monitor: null,
      endedAt: call.answeredAt + durationMs + 200,
    };
  });
}

/** A call may become shorter, but not longer, so that no other call has to move. */
const fits = (
  call: PlannedCall,
  { queueRef, agentRef, durationMs }: (typeof demoRecordings)[number],
): boolean =>
  call.direction === 'INBOUND' &&
  call.queueRef === queueRef &&
  call.answeredBy === agentRef &&
  call.transfer === null &&
  call.answeredAt !== null &&
  call.endedAt - call.answeredAt > durationMs + 200 &&
  castQueues.some(({ ref }) => ref === queueRef);
