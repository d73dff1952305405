/**
 * Offers a call in the step that begins it, if its queue has an idle agent and no waiting call: a commit and a dispatch less than if it waited first.
 */
import type { QueueStrategy } from '@clarion/protocol';
import type { Step } from '../call-machine/machine.ts';
import { loadAgents } from '../call-store/load-step.ts';
import type { LoadedAgent } from '../call-store/loaded.ts';
import type { StepSql } from '../call-store/step-sql.ts';
import type { IdleAgent, IdleQueue } from '../queue-routing/snapshot.ts';
import { nextOffers } from '../queue-routing/strategies/index.ts';
import { isIdleAt, offerStep } from './offer-step.ts';
import type { StepMemory } from './step-memory.ts';

interface OfferedOnArrival {
  step: Step;
  /** Those whom it reserves, loaded or remembered. */
  agents: LoadedAgent[];
}

/**
 * @param first the step that begins the call
 * @returns null if the call must wait for a dispatch, or does not enter a queue
 */
export async function offerOnArrival(
  sql: StepSql,
  first: Step,
  { strategy, ringTimeoutSeconds, agents: found }: IdleQueue,
  now: Date,
  memory?: StepMemory,
): Promise<OfferedOnArrival | null> {
  const { state } = first;
  // In a transaction, an agent who is taken meanwhile would roll everything back.
  if (!sql.autocommit || state.phase !== 'waiting' || state.wait.skills.length > 0) return null;
  const [queue] = state.wait.stops;
  if (!queue) return null;
  const call = { callId: state.callId, ringingAt: [], declined: [], missed: {}, skills: [] };
  let free: readonly IdleAgent[] = found;
  for (;;) {
    const [plan] = nextOffers(strategy, { waiting: [call], free, capacity: null });
    if (!plan) return null;
    const { agentIds } = plan;
    const agents = await rowsOf(sql, agentIds, now, memory);
    const offer = { queueId: queue.queueId, ringTimeoutSeconds, agentIds };
    const offered = offerStep({ state, flow: null }, offer, agents, now);
    if (offered) return { step: joined(first, offered, strategy), agents };
    free = free.filter(({ agentId }) => !agentIds.includes(agentId));
  }
}

/** As this process remembers them if they are idle in its memory too; the others may have been released by another one. */
async function rowsOf(
  { run }: StepSql,
  ids: readonly number[],
  now: Date,
  memory?: StepMemory,
): Promise<LoadedAgent[]> {
  const remembered = (memory?.agentsAmong(ids) ?? []).filter((agent) => isIdleAt(agent, now));
  const others = ids.filter((id) => !remembered.some((agent) => agent.id === id));
  return others.length === 0 ? remembered : [...remembered, ...(await loadAgents(run, others))];
}

/**
 * Both as one step. The dispatch that the first one requests has been made, except that a call that rings everybody is to ring agents too who
 * have become idle since the queue was read.
 */
const joined = (first: Step, { state, effects }: Step, strategy: QueueStrategy): Step => ({
  state,
  effects: [
    ...first.effects.filter(({ kind }) => kind !== 'dispatch' || strategy === 'RING_ALL'),
    ...effects,
  ],
});
