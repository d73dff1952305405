/**
 * Matches waiting calls with idle agents, in one transaction under the locks of the queues: snapshot, strategy (pure), reservations, steps.
 * Queues that share agents are dispatched together, so that the oldest of all their calls is served first. Agents are reserved by a
 * conditional update, so an agent of two queues is offered only one call.
 */
import type { Database, Queue, Tx } from '@clarion/db';
import { nextOffers } from '../queue-routing/strategies/index.ts';
import { inTurns } from '../queue-routing/turns.ts';
import type { Queued } from '../queue-routing/turns.ts';
import { usesCapacity } from '../queue-routing/snapshot.ts';
import type { IdleAgent, OfferPlan, WaitingCall } from '../queue-routing/snapshot.ts';
import { activeQueueOf, offersOf, skillsAskedFor, waitOf } from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { reserveAgent } from './reserve-agent.ts';
import { applyStep } from './step-call.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import { parseState } from './stored.ts';

/** First key of the advisory locks of queues. The second key is the queue's ID. */
const QUEUE_LOCK = 1_903_260;
/** Number of waiting calls that are read at a time. */
const WAITING_PAGE = 200;

/** @returns the effects to run, for each call that was offered */
export const dispatchQueue = (
  db: Database,
  queueId: number,
  now: Date,
  options?: CommitOptions,
): Promise<Pending[]> => dispatchQueues(db, [queueId], now, options);

/** Dispatches queues that share agents as one: the oldest call goes first, whichever queue it is in. */
export async function dispatchQueues(
  db: Database,
  queueIds: readonly number[],
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Pending[]> {
  const ids = await withWaitingCalls(db, queueIds);
  if (ids.length === 0) return [];
  return retryOnConflict(db, (tx) => dispatchOnce(tx, ids, now, options));
}

/** IDs in ascending order, the order of the locks. A call that starts to wait later gets a dispatch of its own. */
async function withWaitingCalls(db: Database, queueIds: readonly number[]): Promise<number[]> {
  if (queueIds.length === 0) return [];
  const waiting = await db.liveCall.findMany({
    where: { waitingQueueId: { in: [...queueIds] } },
    distinct: ['waitingQueueId'],
    orderBy: { waitingQueueId: 'asc' },
    select: { waitingQueueId: true },
  });
  return waiting.flatMap(({ waitingQueueId }) => (waitingQueueId === null ? [] : [waitingQueueId]));
}

/** Queues with a waiting call that have a member in common with this one, including itself. */
export async function queuesSharingAgents(db: Database, queueId: number): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    select distinct "waitingQueueId" as id from "LiveCall"
    where "waitingQueueId" = ${queueId} or ("waitingQueueId" is not null
      and "tenantId" = (select "tenantId" from "Queue" where "id" = ${queueId})
      and exists (
        select 1 from "QueueMember" theirs join "QueueMember" ours on ours."agentId" = theirs."agentId"
        where theirs."queueId" = "waitingQueueId" and ours."queueId" = ${queueId}))`;
  return rows.map(({ id }) => id);
}

/** A queue during one dispatch. The counts decrease as calls are offered. */
interface QueueDispatch {
  queue: Queue;
  free: IdleAgent[];
  /** max_active_calls minus the calls already handled; null: unlimited. */
  capacity: number | null;
}

async function dispatchOnce(tx: Tx, ids: number[], now: Date, options: CommitOptions): Promise<Pending[]> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${QUEUE_LOCK}::int, id) from unnest(${ids}::int[]) as id`;
  let page = await waitingCalls(tx, ids, now);
  if (page.calls.length === 0) return [];
  const dispatches = await dispatchesOf(tx, ids, now);
  const pending = await leaveDeleted(tx, page.calls, dispatches, now, options);
  while ([...dispatches.values()].some(({ free }) => free.length > 0)) {
    for (const { queueId, calls } of inTurns(page.calls)) {
      const dispatch = dispatches.get(queueId);
      if (!dispatch) continue;
      const plans = nextOffers(dispatch.queue.strategy, { waiting: calls, ...dispatch });
      for (const plan of plans) {
        const made = await offer(tx, dispatch.queue, plan, now, options);
        if (made) pending.push(made);
      }
      removeReserved(dispatches, plans);
      if (dispatch.capacity !== null) dispatch.capacity -= newlyRinging(calls, plans);
    }
    if (page.last) break;
    // The remaining agents are not eligible for the calls of this page, but may be for younger calls.
    page = await waitingCalls(tx, ids, now, page.end);
  }
  return pending;
}

async function dispatchesOf(tx: Tx, ids: number[], now: Date): Promise<Map<number, QueueDispatch>> {
  const queues = await tx.queue.findMany({ where: { id: { in: ids } } });
  const free = await idleAgents(tx, ids, now);
  const dispatches = new Map<number, QueueDispatch>();
  for (const queue of queues) {
    const members = free.filter(({ queueId }) => queueId === queue.id);
    const cap = queue.maxActiveCalls;
    const capacity = cap === null || members.length === 0 ? cap : cap - (await handledCalls(tx, queue.id));
    dispatches.set(queue.id, { queue, free: members, capacity });
  }
  return dispatches;
}

/**
 * Calls keep the overflow chain with which they were created, and one of its queues may have been deleted before they reached it. There
 * they would wait for ever. If there are many, the next dispatch moves the rest.
 */
async function leaveDeleted(
  tx: Tx,
  calls: readonly Queued[],
  there: ReadonlyMap<number, QueueDispatch>,
  now: Date,
  options: CommitOptions,
): Promise<Pending[]> {
  const pending: Pending[] = [];
  for (const { queueId, call } of calls) {
    if (there.has(queueId)) continue;
    const stepped = await applyStep(tx, call.callId, { type: 'queue-gone', queueId }, now, options);
    if (stepped.kind === 'stepped' && stepped.pending) pending.push(stepped.pending);
  }
  return pending;
}

/** An agent is reserved by at most one queue. */
function removeReserved(dispatches: Map<number, QueueDispatch>, plans: OfferPlan[]): void {
  const taken = new Set(plans.flatMap(({ agentIds }) => agentIds));
  if (taken.size === 0) return;
  for (const dispatch of dispatches.values())
    dispatch.free = dispatch.free.filter(({ agentId }) => !taken.has(agentId));
}

const newlyRinging = (calls: WaitingCall[], plans: OfferPlan[]): number =>
  plans.filter((plan) => calls.some((call) => call.callId === plan.callId && usesCapacity(call))).length;

/** Reserves the agents and offers them the call. */
async function offer(
  tx: Tx,
  { id: queueId, ringTimeoutSeconds }: Queue,
  plan: OfferPlan,
  now: Date,
  options: CommitOptions,
): Promise<Pending | null> {
  const agentIds: number[] = [];
  for (const agentId of plan.agentIds.toSorted((a, b) => a - b)) {
    if (await reserveAgent(tx, agentId, plan.callId)) agentIds.push(agentId);
  }
  if (agentIds.length === 0) return null;
  const event = { type: 'offer', queueId, agentIds, ringTimeoutSeconds } as const;
  const stepped = await applyStep(tx, plan.callId, event, now, options);
  if (stepped.kind === 'stepped' && stepped.changed) return stepped.pending;
  // The call was accepted or withdrawn since the snapshot, so agents reserved in this dispatch are released.
  await releaseAgents(tx, agentIds, plan.callId);
  return null;
}

interface Page {
  calls: Queued[];
  /** Where the next page begins. */
  end: { waitingSince: Date; callId: number } | undefined;
  last: boolean;
}

/** Longest waiting first, one page at a time. */
async function waitingCalls(tx: Tx, queueIds: number[], now: Date, after?: Page['end']): Promise<Page> {
  const rows = await tx.liveCall.findMany({
    where: {
      waitingQueueId: { in: queueIds },
      ...(after && {
        OR: [
          { waitingSince: { gt: after.waitingSince } },
          { waitingSince: after.waitingSince, callId: { gt: after.callId } },
        ],
      }),
    },
    orderBy: [{ waitingSince: 'asc' }, { callId: 'asc' }],
    take: WAITING_PAGE,
    select: { state: true, callId: true, waitingSince: true, waitingQueueId: true },
  });
  const end = rows.at(-1);
  return {
    calls: rows.flatMap(({ state, waitingQueueId }) =>
      waitingCall(parseState(state), now).map((call) => ({ queueId: waitingQueueId ?? 0, call })),
    ),
    end: end?.waitingSince ? { waitingSince: end.waitingSince, callId: end.callId } : undefined,
    last: rows.length < WAITING_PAGE,
  };
}

function waitingCall(state: CallState, now: Date): WaitingCall[] {
  const wait = waitOf(state);
  if (!wait) return [];
  return [
    {
      callId: state.callId,
      ringingAt: offersOf(state).map(({ agentId }) => agentId),
      declined: wait.declined,
      missed: wait.missed,
      skills: skillsAskedFor(wait, now.getTime()),
      handled: activeQueueOf(state) === wait.stops[0]?.queueId,
    },
  ];
}

/** Calls that the queue has handed out: an agent has them or is being rung. */
async function handledCalls(tx: Tx, queueId: number): Promise<number> {
  const [row] = await tx.$queryRaw<{ handled: number }[]>`
    select count(*)::int as handled from "LiveCall"
    where "activeQueueId" = ${queueId}
       or ("waitingQueueId" = ${queueId} and (
         "state"->>'phase' = 'offering'
         or coalesce(jsonb_array_length("state"->'offers'), 0) > 0
         or coalesce(jsonb_array_length("state"#>'{transfer,offers}'), 0) > 0))`;
  return row?.handled ?? 0;
}

/** Held until the transaction ends and always taken in the same order, so that queues that share agents do not deadlock. */
async function idleAgents(
  tx: Tx,
  queueIds: number[],
  now: Date,
): Promise<(IdleAgent & { queueId: number })[]> {
  const members = await tx.$queryRaw<
    {
      queueId: number;
      agentId: number;
      priority: number;
      skills: string[];
      idleSince: Date;
      wrapUpUntil: Date | null;
    }[]
  >`
    select m."queueId", m."agentId", m."priority", m."skills", a."idleSince", a."wrapUpUntil"
    from "QueueMember" m
    join "Agent" a on a."id" = m."agentId"
    join "Tenant" t on t."id" = a."tenantId"
    join "Consumer" c on c."id" = t."consumerId"
    where m."queueId" = any(${queueIds}) and a."shift" = 'AVAILABLE' and a."currentCallId" is null
      and a."deletedAt" is null and (a."wrapUpUntil" is null or a."wrapUpUntil" <= ${now})
      and t."status" = 'ACTIVE' and c."status" = 'ACTIVE'
      and exists (select 1 from "AgentConnection" s where s."agentId" = a."id")
    order by a."id" for update of a`;
  return members.map(({ queueId, agentId, priority, skills, idleSince, wrapUpUntil }) => ({
    queueId,
    agentId,
    priority,
    skills,
    // If a call of the agent's own ended during the wrap-up, the agent becomes idle only when the wrap-up ends.
    idleSince: Math.max(idleSince.getTime(), wrapUpUntil?.getTime() ?? 0),
  }));
}

async function releaseAgents(tx: Tx, agentIds: number[], callId: number): Promise<void> {
  await tx.agent.updateMany({
    where: { id: { in: agentIds }, currentCallId: callId },
    data: { currentCallId: null, onCall: false },
  });
}
