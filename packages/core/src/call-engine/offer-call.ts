/** Makes one offer of a dispatch: reserves the agents and steps the call, in one transaction. */
import { Prisma } from '@clarion/db';
import type { Database, Tx } from '@clarion/db';
import { offersOf, queueOf } from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import type { PlannedOffer } from '../queue-routing/plan.ts';
import { usesCapacity } from '../queue-routing/snapshot.ts';
import type { WaitingCall } from '../queue-routing/snapshot.ts';
import { isConflict, VersionConflict } from '../retry-on-conflict.ts';
import { TRANSACTION_LIMITS } from '../transaction-limits.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { countHandled, isIdle } from './dispatch-view.ts';
import type { DispatchedQueue } from './dispatch-view.ts';
import { applyStep } from './step-call.ts';

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
  try {
    const pending = await db.$transaction(
      (tx) => offerOnce(tx, queue, offer, clock, options),
      TRANSACTION_LIMITS,
    );
    return { kind: 'offered', pending };
  } catch (error) {
    if (isConflict(error)) return { kind: 'changed' };
    throw error;
  }
}

async function offerOnce(
  tx: Tx,
  { queueId, ringTimeoutSeconds, maxActiveCalls }: DispatchedQueue,
  { call, agentIds: chosen }: PlannedOffer,
  clock: () => Date,
  options: CommitOptions,
): Promise<Pending | null> {
  if (maxActiveCalls !== null && usesCapacity(call)) await takeRoom(tx, queueId, maxActiveCalls);
  const now = clock();
  const agentIds = await reserveIdleAgents(tx, chosen, call.callId, now);
  if (agentIds.length === 0) throw new VersionConflict(`agents ${chosen.join(', ')} are not idle any more`);
  const event = { type: 'offer', queueId, agentIds, ringTimeoutSeconds } as const;
  const stepped = await applyStep(tx, call.callId, event, now, options);
  // Checked after the step, which is rolled back otherwise: its own load is the one that the commit's version check covers.
  if (stepped.kind === 'not-live' || !stepped.changed || !isAsPlanned(stepped.previous, queueId, call)) {
    throw new VersionConflict(`call ${call.callId} does not wait any more as it was read`);
  }
  return stepped.pending;
}

/** Only dispatches add to the calls that a queue handles, so this lock makes the limit exact. */
async function takeRoom(tx: Tx, queueId: number, maxActiveCalls: number): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${QUEUE_LOCK}::int, ${queueId}::int)`;
  if ((await countHandled(tx, queueId)) >= maxActiveCalls)
    throw new VersionConflict(`queue ${queueId} handles its maximum of calls`);
}

/** Of two dispatches that offer one call, the second must not ring another agent. */
function isAsPlanned(state: CallState, queueId: number, { ringingAt }: WaitingCall): boolean {
  const rung = offersOf(state).map(({ agentId }) => agentId);
  return queueOf(state)?.queueId === queueId && String(rung) === String(ringingAt);
}

/**
 * The conditional update of `reserveAgent`, for agents who must also still be idle. The rows are always locked in the same order, so that
 * two offers that reserve several agents do not deadlock.
 */
async function reserveIdleAgents(
  tx: Tx,
  agentIds: readonly number[],
  callId: number,
  now: Date,
): Promise<number[]> {
  const rows = await tx.$queryRaw<{ id: number }[]>`
    update "Agent" set "currentCallId" = ${callId}::int, "onCall" = false, "updatedAt" = ${now}
    where "id" in (
      select a."id" from "Agent" a where a."id" in (${Prisma.join([...agentIds])}) and ${isIdle(now)}
      order by a."id" for update)
    returning "id"`;
  return agentIds.filter((agentId) => rows.some(({ id }) => id === agentId));
}
