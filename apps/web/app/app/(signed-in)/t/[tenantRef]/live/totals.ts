/** The figures at the top of the board, of all live calls regardless of filters. */
import type { BoardAgent, BoardCall, QueueCounters } from '@clarion/sdk';

export interface Totals {
  calls: number;
  talking: number;
  /** In all queues, as the live report counts them. */
  waiting: number;
  /** ISO time; null: no one is waiting. */
  longestWaitingSince: string | null;
  agents: Record<BoardAgent['state'], number>;
}

export const emptyTotals: Totals = {
  calls: 0,
  talking: 0,
  waiting: 0,
  longestWaitingSince: null,
  agents: { AVAILABLE: 0, RINGING: 0, ON_CALL: 0, WRAP_UP: 0, OFFLINE: 0 },
};

export function totalsOf(calls: BoardCall[], agents: BoardAgent[], queues: QueueCounters[]): Totals {
  const states = { ...emptyTotals.agents };
  for (const { state } of agents) states[state] += 1;
  return {
    calls: calls.length,
    talking: calls.filter(({ state }) => state === 'active').length,
    waiting: queues.reduce((sum, { waiting }) => sum + waiting, 0),
    longestWaitingSince: earliest(queues.map(({ longestWaitingSince }) => longestWaitingSince)),
    agents: states,
  };
}

/** ISO times in UTC compare as text. */
const earliest = (times: (string | null)[]): string | null =>
  times.reduce((first, time) => (first === null || (time !== null && time < first) ? time : first), null);
