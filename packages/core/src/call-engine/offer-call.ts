/** Makes one offer of a dispatch: a step that reserves the agents and rings them. */
import type { Database, Tx } from '@clarion/db';
import type { Effect } from '../call-machine/effects.ts';
import { canBeWoken } from '../agent/reachable.ts';
import { step } from '../call-machine/machine.ts';
import { offersOf, queueOf } from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import type { PlannedOffer } from '../queue-routing/plan.ts';
import { usesCapacity } from '../queue-routing/snapshot.ts';
import type { WaitingCall } from '../queue-routing/snapshot.ts';
import { isConflict, VersionConflict } from '../retry-on-conflict.ts';
import { TRANSACTION_LIMITS } from '../transaction-limits.ts';
import { loadStep } from '../call-store/load-step.ts';
import type { LoadedAgent, LoadedStep } from '../call-store/loaded.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { StepSql } from '../call-store/step-sql.ts';
import { commitStep } from './commit.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { countHandled } from './dispatch-view.ts';
import type { DispatchedQueue } from './dispatch-view.ts';
import { AgentTaken } from './history.ts';
import { currentOf, fromMemory } from './step-call.ts';
import type { Current } from './step-call.ts';

/** First key of the advisory locks of queues with max_active_calls. The second key is the queue's ID. */
const QUEUE_LOCK = 1_903_260;

export type OfferOutcome =
  | { kind: 'offered'; pending: Pending | null }
  /** The call, an agent or the number of handled calls has changed since they were read: read and plan again. */
  | { kind: 'changed' };

/** @param clock read after the lock, so that an offer that waited for it rings for its whole time */
export async function offerCall(
  db: Database,
  queue: DispatchedQueue,
  offer: PlannedOffer,
  clock: () => Date,
  options: CommitOptions,
): Promise<OfferOutcome> {
  const { queueId, maxActiveCalls } = queue;
  try {
    if (maxActiveCalls === null || !usesCapacity(offer.call))
      return { kind: 'offered', pending: await offerOnce(db, queue, offer, clock, options) };
    const pending = await db.$transaction(async (tx) => {
      await takeRoom(tx, queueId, maxActiveCalls);
      return offerOnce(tx, queue, offer, clock, options);
    }, TRANSACTION_LIMITS);
    return { kind: 'offered', pending };
  } catch (error) {
    if (isConflict(error) || error instanceof AgentTaken) return { kind: 'changed' };
    throw error;
  }
}

async function offerOnce(
  db: Tx | Database,
  queue: DispatchedQueue,
  offer: PlannedOffer,
  clock: () => Date,
  options: CommitOptions,
): Promise<Pending> {
  const sql = stepSqlOf(db);
  const { callId } = offer.call;
  const of = { callId, agentIds: offer.agentIds };
  const attempt = (rows: LoadedStep) => offerFrom(sql, currentOf(rows, clock()), { queue, offer }, options);
  const pending = await fromMemory(sql, of, options.memory, attempt);
  if (pending) return pending;
  const loaded = await loadStep(sql.run, callId, offer.agentIds);
  if (!loaded) throw new VersionConflict(`call ${callId} is not live any more`);
  return attempt(loaded);
}

async function offerFrom(
  sql: StepSql,
  current: Current,
  { queue, offer }: { queue: DispatchedQueue; offer: PlannedOffer },
  options: CommitOptions,
): Promise<Pending> {
  const { queueId, ringTimeoutSeconds } = queue;
  const { call, agentIds: chosen } = offer;
  const { previous, flow, moment } = current;
  if (!isAsPlanned(previous, queueId, call))
    throw new VersionConflict(`call ${call.callId} does not wait any more as it was read`);
  const idle = current.agents.filter((agent) => chosen.includes(agent.id) && isIdleAt(agent, moment));
  const agentIds = chosen.filter((agentId) => idle.some(({ id }) => id === agentId));
  if (agentIds.length === 0) throw new VersionConflict(`agents ${chosen.join(', ')} are not idle any more`);
  const wakeIds = idle.filter(({ deviceIds }) => deviceIds.length === 0).map(({ id }) => id);
  const event = {
    type: 'offer',
    queueId,
    agentIds,
    ringTimeoutSeconds,
    ...(wakeIds.length > 0 && { wakeIds }),
  } as const;
  const { state, effects } = step(previous, event, moment.getTime(), flow);
  if (state === previous) throw new VersionConflict(`call ${call.callId} cannot be offered`);
  return commitStep(
    sql,
    current,
    previous,
    { state, effects: [...reserving(agentIds), ...effects] },
    moment,
    options,
  );
}

/** Part of the step: the commit fails if an agent's row has changed since it was loaded. */
const reserving = (agentIds: readonly number[]): Effect[] =>
  agentIds.map((agentId) => ({ kind: 'agent', agentId, change: 'reserve' }));

/** The same conditions as `isIdle` of the dispatch's query. */
const isIdleAt = (agent: LoadedAgent, now: Date): boolean =>
  agent.shift === 'AVAILABLE' &&
  agent.currentCallId === null &&
  agent.deletedAt === null &&
  (agent.wrapUpUntil === null || agent.wrapUpUntil <= now) &&
  (agent.deviceIds.length > 0 || canBeWoken(agent));

/** Only dispatches add to the calls that a queue handles, so this lock makes the limit exact. */
async function takeRoom(tx: Tx, queueId: number, maxActiveCalls: number): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${QUEUE_LOCK}::int, ${queueId}::int)`;
  if ((await countHandled(stepSqlOf(tx), queueId)) >= maxActiveCalls)
    throw new VersionConflict(`queue ${queueId} handles its maximum of calls`);
}

/** Of two dispatches that offer one call, the second must not ring another agent. */
function isAsPlanned(state: CallState, queueId: number, { ringingAt }: WaitingCall): boolean {
  const rung = offersOf(state).map(({ agentId }) => agentId);
  return queueOf(state)?.queueId === queueId && String(rung) === String(ringingAt);
}
