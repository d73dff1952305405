/**
 * Brings a queue's waiting calls and free agents together, in one transaction under the queue's lock: snapshot, strategy (pure),
 * reservations, steps. Agents are taken by a conditional update, so an agent of two queues is still offered once.
 */
import type { Database, Queue, Tx } from '@clarion/db';
import { nextOffers } from '../../queue/strategies/index.ts';
import type { FreeAgent, OfferPlan, QueueSnapshot, WaitingCall } from '../../queue/snapshot.ts';
import { offersOf, skillsAskedFor, waitOf } from '../state.ts';
import type { CallState } from '../state.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { reserveAgent } from './history.ts';
import { applyStep, isRace } from './step-call.ts';
import { parseState } from './stored.ts';

/** First key of the advisory locks of queues; the second is the queue's id. */
const QUEUE_LOCK = 1_903_260;
/** Waiting calls that are looked at together. */
const WAITING_PAGE = 200;
const MAX_DISPATCH_ATTEMPTS = 10;
const TRANSACTION_LIMITS = { maxWait: 5_000, timeout: 15_000 };

export interface DispatchOptions extends CommitOptions {
  /** Only calls that have waited since then or longer: where queues share agents, the oldest call of all goes first. */
  waitingSince?: Date;
}

/** @returns what is to be done outside for each call that was offered */
export async function dispatchQueue(
  db: Database,
  queueId: number,
  now: Date,
  options: DispatchOptions = { runsEffects: false },
): Promise<Pending[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.$transaction((tx) => dispatchOnce(tx, queueId, now, options), TRANSACTION_LIMITS);
    } catch (error) {
      if (!isRace(error) || attempt >= MAX_DISPATCH_ATTEMPTS) throw error;
    }
  }
}

async function dispatchOnce(
  tx: Tx,
  queueId: number,
  now: Date,
  options: DispatchOptions,
): Promise<Pending[]> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${QUEUE_LOCK}::int, ${queueId}::int)`;
  const queue = await tx.queue.findUnique({ where: { id: queueId } });
  if (!queue) return [];
  let page = await waitingCalls(tx, queueId, now, options.waitingSince);
  if (page.calls.length === 0) return [];
  let free = await freeAgents(tx, queueId, now);
  let capacity = queue.maxActiveCalls;
  if (capacity !== null && free.length > 0) capacity -= await handledCalls(tx, queueId);
  const pending: Pending[] = [];
  while (free.length > 0 && page.calls.length > 0) {
    const snapshot: QueueSnapshot = { waiting: page.calls, free, capacity };
    const plans = nextOffers(queue.strategy, snapshot);
    for (const plan of plans) {
      const made = await offer(tx, queue, plan, now, options);
      if (made) pending.push(made);
    }
    const taken = new Set(plans.flatMap(({ agentIds }) => agentIds));
    free = free.filter(({ agentId }) => !taken.has(agentId));
    if (capacity !== null) capacity -= newlyRinging(page.calls, plans);
    if (page.last) break;
    // Whoever is left may be wanted by those who came later: the calls so far cannot have them.
    page = await waitingCalls(tx, queueId, now, options.waitingSince, page.end);
  }
  return pending;
}

const newlyRinging = (calls: WaitingCall[], plans: OfferPlan[]): number =>
  plans.filter((plan) => calls.some((call) => call.callId === plan.callId && call.ringingAt.length === 0))
    .length;

/** Takes the agents and makes the call ring at them. */
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
  // Accepted or withdrawn since the snapshot: whom this round took is free again.
  await letGo(tx, agentIds, plan.callId);
  return null;
}

interface Page {
  calls: WaitingCall[];
  /** Where the next one begins. */
  end: { waitingSince: Date; callId: number } | undefined;
  last: boolean;
}

/** Longest waiting first, a page at a time. */
async function waitingCalls(
  tx: Tx,
  queueId: number,
  now: Date,
  until: Date | undefined,
  after?: Page['end'],
): Promise<Page> {
  const rows = await tx.liveCall.findMany({
    where: {
      waitingQueueId: queueId,
      ...(until && { waitingSince: { lte: until } }),
      ...(after && {
        OR: [
          { waitingSince: { gt: after.waitingSince } },
          { waitingSince: after.waitingSince, callId: { gt: after.callId } },
        ],
      }),
    },
    orderBy: [{ waitingSince: 'asc' }, { callId: 'asc' }],
    take: WAITING_PAGE,
    select: { state: true, callId: true, waitingSince: true },
  });
  const end = rows.at(-1);
  return {
    calls: rows.flatMap(({ state }) => waitingCall(parseState(state), now)),
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
    },
  ];
}

/** Calls the queue has handed out: with an agent, or ringing at one. */
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

/**
 * Held until the transaction ends, in one order for everyone: queues that share agents offer them one after the other instead of
 * waiting for each other.
 */
async function freeAgents(tx: Tx, queueId: number, now: Date): Promise<FreeAgent[]> {
  const members = await tx.$queryRaw<
    { agentId: number; priority: number; skills: string[]; idleSince: Date; wrapUpUntil: Date | null }[]
  >`
    select m."agentId", m."priority", m."skills", a."idleSince", a."wrapUpUntil"
    from "QueueMember" m
    join "Agent" a on a."id" = m."agentId"
    join "Tenant" t on t."id" = a."tenantId"
    join "Consumer" c on c."id" = t."consumerId"
    where m."queueId" = ${queueId} and a."shift" = 'AVAILABLE' and a."currentCallId" is null
      and a."deletedAt" is null and (a."wrapUpUntil" is null or a."wrapUpUntil" <= ${now})
      and t."status" = 'ACTIVE' and c."status" = 'ACTIVE'
      and exists (select 1 from "AgentConnection" s where s."agentId" = a."id")
    order by a."id" for update of a`;
  return members.map(({ agentId, priority, skills, idleSince, wrapUpUntil }) => ({
    agentId,
    priority,
    skills,
    // A call of the agent's own that ended during the wrap-up does not make them idle before it was over.
    idleSince: Math.max(idleSince.getTime(), wrapUpUntil?.getTime() ?? 0),
  }));
}

async function letGo(tx: Tx, agentIds: number[], callId: number): Promise<void> {
  await tx.agent.updateMany({
    where: { id: { in: agentIds }, currentCallId: callId },
    data: { currentCallId: null, onCall: false },
  });
}
