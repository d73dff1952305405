/** The step that reserves agents for a call of a queue and rings them. Pure. */
import { canBeWoken } from '../agent/reachable.ts';
import type { Effect } from '../call-machine/effects.ts';
import { step } from '../call-machine/machine.ts';
import type { Step } from '../call-machine/machine.ts';
import type { CallState } from '../call-machine/state.ts';
import type { LoadedAgent } from '../call-store/loaded.ts';
import type { Flow } from '../ivr/flow-run.ts';

export interface ChosenOffer {
  queueId: number;
  ringTimeoutSeconds: number;
  /** Chosen among agents who were idle when the queue was read. */
  agentIds: readonly number[];
}

/** @returns the call offered to those of the chosen who are still idle; null: none of them is, or the call cannot be offered */
export function offerStep(
  { state: previous, flow }: { state: CallState; flow: Flow | null },
  { queueId, ringTimeoutSeconds, agentIds: chosen }: ChosenOffer,
  agents: readonly LoadedAgent[],
  now: Date,
): Step | null {
  const idle = agents.filter((agent) => chosen.includes(agent.id) && isIdleAt(agent, now));
  const agentIds = chosen.filter((agentId) => idle.some(({ id }) => id === agentId));
  if (agentIds.length === 0) return null;
  const wakeIds = idle.filter(({ deviceIds }) => deviceIds.length === 0).map(({ id }) => id);
  const event = {
    type: 'offer',
    queueId,
    agentIds,
    ringTimeoutSeconds,
    ...(wakeIds.length > 0 && { wakeIds }),
  } as const;
  const { state, effects } = step(previous, event, now.getTime(), flow);
  return state === previous ? null : { state, effects: [...reserving(agentIds), ...effects] };
}

/** Part of the step: the commit fails if an agent's row has changed since it was loaded. */
const reserving = (agentIds: readonly number[]): Effect[] =>
  agentIds.map((agentId) => ({ kind: 'agent', agentId, change: 'reserve' }));

/** The same conditions as of the database's function `idle_members`. */
export const isIdleAt = (agent: LoadedAgent, now: Date): boolean =>
  agent.shift === 'AVAILABLE' &&
  agent.currentCallId === null &&
  agent.deletedAt === null &&
  (agent.wrapUpUntil === null || agent.wrapUpUntil <= now) &&
  (agent.deviceIds.length > 0 || canBeWoken(agent));
