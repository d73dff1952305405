/**
 * Brings a queue's waiting calls and free agents together, in one transaction under the queue's lock: snapshot, strategy (pure),
 * reservations, steps. Agents are taken by a conditional update, so an agent of two queues is still offered once.
 */
import type { Database, Tx } from '@clarion/db';
import { nextOffers } from '../../queue/strategies/index.ts';
import type { FreeAgent, QueueSnapshot, WaitingCall } from '../../queue/snapshot.ts';
import { offersOf, waitOf } from '../state.ts';
import type { CallState } from '../state.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { reserveAgent } from './history.ts';
import { applyStep, isRace } from './step-call.ts';
import { parseState } from './stored.ts';

/** First key of the advisory locks of queues; the second is the queue's id. */
const QUEUE_LOCK = 1_903_260;
/** More waiting calls than this are looked at in the next round: each dispatch stays short. */
const MAX_WAITING_PER_ROUND = 200;
const MAX_DISPATCH_ATTEMPTS = 10;
const TRANSACTION_LIMITS = { maxWait: 5_000, timeout: 15_000 };

/** @returns what is to be done outside for each call that was offered */
export async function dispatchQueue(
  db: Database,
  queueId: number,
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Pending[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.$transaction((tx) => dispatchOnce(tx, queueId, now, options), TRANSACTION_LIMITS);
    } catch (error) {
      if (!isRace(error) || attempt >= MAX_DISPATCH_ATTEMPTS) throw error;
    }
  }
}

async function dispatchOnce(tx: Tx, queueId: number, now: Date, options: CommitOptions): Promise<Pending[]> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${QUEUE_LOCK}::int, ${queueId}::int)`;
  const queue = await tx.queue.findUnique({ where: { id: queueId } });
  if (!queue) return [];
  const waiting = await waitingCalls(tx, queueId);
  if (waiting.length === 0) return [];
  const free = await freeAgents(tx, queueId);
  if (free.length === 0) return [];
  const snapshot: QueueSnapshot = {
    waiting,
    free,
    capacity:
      queue.maxActiveCalls === null
        ? null
        : queue.maxActiveCalls - (await handledCalls(tx, queueId, waiting)),
  };
  const pending: Pending[] = [];
  for (const plan of nextOffers(queue.strategy, snapshot)) {
    const agentIds: number[] = [];
    for (const agentId of plan.agentIds.toSorted((a, b) => a - b)) {
      if (await reserveAgent(tx, agentId, plan.callId)) agentIds.push(agentId);
    }
    if (agentIds.length === 0) continue;
    const { ringTimeoutSeconds } = queue;
    const event = { type: 'offer', queueId, agentIds, ringTimeoutSeconds } as const;
    const stepped = await applyStep(tx, plan.callId, event, now, options);
    // Accepted or withdrawn since the snapshot: whom this round took is free again.
    if (stepped.kind === 'not-live' || !stepped.changed) await letGo(tx, agentIds, plan.callId);
    else if (stepped.pending) pending.push(stepped.pending);
  }
  return pending;
}

async function waitingCalls(tx: Tx, queueId: number): Promise<WaitingCall[]> {
  const rows = await tx.liveCall.findMany({
    where: { waitingQueueId: queueId },
    orderBy: [{ waitingSince: 'asc' }, { callId: 'asc' }],
    take: MAX_WAITING_PER_ROUND,
    select: { state: true },
  });
  return rows.flatMap(({ state }) => waitingCall(parseState(state)));
}

function waitingCall(state: CallState): WaitingCall[] {
  const wait = waitOf(state);
  if (!wait) return [];
  return [
    {
      callId: state.callId,
      ringingAt: offersOf(state).map(({ agentId }) => agentId),
      declined: wait.declined,
      missed: wait.missed,
    },
  ];
}

/** Calls the queue has handed out: with an agent, or ringing at one. */
async function handledCalls(tx: Tx, queueId: number, waiting: WaitingCall[]): Promise<number> {
  const active = await tx.liveCall.count({ where: { activeQueueId: queueId } });
  return active + waiting.filter(({ ringingAt }) => ringingAt.length > 0).length;
}

async function freeAgents(tx: Tx, queueId: number): Promise<FreeAgent[]> {
  const members = await tx.queueMember.findMany({
    where: {
      queueId,
      agent: {
        shift: 'AVAILABLE',
        currentCallId: null,
        deletedAt: null,
        connections: { some: {} },
        tenant: { status: 'ACTIVE', consumer: { status: 'ACTIVE' } },
      },
    },
    select: { priority: true, agentId: true, agent: { select: { idleSince: true } } },
  });
  return members.map(({ priority, agentId, agent }) => ({
    agentId,
    priority,
    idleSince: agent.idleSince.getTime(),
  }));
}

async function letGo(tx: Tx, agentIds: number[], callId: number): Promise<void> {
  await tx.agent.updateMany({
    where: { id: { in: agentIds }, currentCallId: callId },
    data: { currentCallId: null, onCall: false },
  });
}
