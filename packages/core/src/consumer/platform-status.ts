/** The operator's overview: which processes are running and what is waiting. */
import { aliveSince } from './list-nodes.ts';
import type { OperatorCtx } from './operator.ts';

/** An event that has been due for this long is overdue. */
const OVERDUE_MS = 15_000;
const HOUR_MS = 60 * 60_000;

export interface PlatformStatus {
  consumers: { active: number; suspended: number };
  trunks: Record<string, number>;
  calls: { live: number; waiting: number; endedLastHour: number };
  agents: { connected: number };
  nodes: { realtime: number; media: number; worker: number };
  events: { pending: number; overdue: number; failedLastHour: number };
  refusedInvitesLastHour: number;
  /** Media facts that could not be processed; should be 0. */
  failedFactsLastHour: number;
}

export async function platformStatus({ db, now }: OperatorCtx): Promise<PlatformStatus> {
  const alive = { heartbeatAt: aliveSince(now) };
  const lastHour = { gt: new Date(now.getTime() - HOUR_MS) };
  const trunks = await db.sipTrunk.groupBy({ by: ['status'], _count: true });
  const connected = await db.agentConnection.groupBy({ by: ['agentId'] });
  return {
    consumers: {
      active: await db.consumer.count({ where: { status: 'ACTIVE' } }),
      suspended: await db.consumer.count({ where: { status: 'SUSPENDED' } }),
    },
    trunks: Object.fromEntries(trunks.map(({ status, _count }) => [status, _count])),
    calls: {
      live: await db.liveCall.count(),
      waiting: await db.liveCall.count({ where: { waitingQueueId: { not: null } } }),
      endedLastHour: await db.call.count({ where: { endedAt: lastHour } }),
    },
    agents: { connected: connected.length },
    nodes: {
      realtime: await db.realtimeNode.count({ where: alive }),
      media: await db.mediaNode.count({ where: { seenAt: aliveSince(now) } }),
      worker: await db.workerNode.count({ where: alive }),
    },
    events: {
      pending: await db.eventDelivery.count(),
      overdue: await db.eventDelivery.count({
        where: { dueAt: { lt: new Date(now.getTime() - OVERDUE_MS) } },
      }),
      failedLastHour: await db.event.count({ where: { undelivered: 'FAILED', occurredAt: lastHour } }),
    },
    refusedInvitesLastHour: await db.sipRefusal.count({ where: { at: lastHour } }),
    failedFactsLastHour: await db.failedFact.count({ where: { at: lastHour } }),
  };
}
