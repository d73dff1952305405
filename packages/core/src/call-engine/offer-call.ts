/** Makes one offer of a dispatch: a step that reserves the agents and rings them. */
import type { Database, Tx } from '@clarion/db';
import { offersOf, queueOf } from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import type { PlannedOffer } from '../queue-routing/plan.ts';
import { usesCapacity } from '../queue-routing/snapshot.ts';
import type { WaitingCall } from '../queue-routing/snapshot.ts';
import { isConflict, VersionConflict } from '../retry-on-conflict.ts';
import { TRANSACTION_LIMITS } from '../transaction-limits.ts';
import { loadStep } from '../call-store/load-step.ts';
import type { LoadedStep } from '../call-store/loaded.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { StepSql } from '../call-store/step-sql.ts';
import { commitStep } from './commit.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { countHandled } from './dispatch-view.ts';
import type { DispatchedQueue } from './dispatch-view.ts';
import { AgentTaken } from './history.ts';
import { offerStep } from './offer-step.ts';
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
  const { call, agentIds } = offer;
  const { previous, flow, agents, moment } = current;
  if (!isAsPlanned(previous, queue.queueId, call))
    throw new VersionConflict(`call ${call.callId} does not wait any more as it was read`);
  const offered = offerStep({ state: previous, flow }, { ...queue, agentIds }, agents, moment);
  if (!offered)
    throw new VersionConflict(`call ${call.callId} cannot be offered to agents ${agentIds.join(', ')}`);
  return commitStep(sql, current, previous, offered, moment, options);
}

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
