/** reports/live: what goes on in a tenant's queues now. Every figure: README. */
import type { LiveQueue } from '@clarion/protocol/v1/reports';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';

export interface LiveReport {
  queues: LiveQueue[];
  liveCalls: number;
}

export async function reportLive(ctx: Ctx, tenantRef: string): Promise<LiveReport> {
  const { db, now } = ctx;
  const tenant = await tenantOf(ctx, tenantRef);
  const queues = await db.queue.findMany({
    where: { tenantId: tenant.id },
    orderBy: { id: 'asc' },
    select: { id: true, ref: true, name: true, members: { select: { agent: { select: agentState } } } },
  });
  const waits = await db.liveCall.groupBy({
    by: ['waitingQueueId'],
    where: { tenantId: tenant.id, waitingQueueId: { not: null } },
    _count: { callId: true },
    _min: { waitingSince: true },
  });
  const waitOf = new Map(waits.map(({ waitingQueueId, ...wait }) => [waitingQueueId, wait]));
  return {
    queues: queues.map(({ id, ref, name, members }) => {
      const since = waitOf.get(id)?._min.waitingSince ?? null;
      return {
        queueId: id,
        ref,
        name,
        waiting: waitOf.get(id)?._count.callId ?? 0,
        longestWaitSeconds: since && Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1000)),
        agents: countOf(members.map(({ agent }) => placeOf(agent))),
      };
    }),
    liveCalls: await db.liveCall.count({ where: { tenantId: tenant.id } }),
  };
}

const agentState = {
  shift: true,
  currentCallId: true,
  onCall: true,
  _count: { select: { connections: true } },
} as const;

interface AgentState {
  shift: 'AVAILABLE' | 'OFFLINE';
  currentCallId: number | null;
  onCall: boolean;
  _count: { connections: number };
}
type Place = keyof LiveQueue['agents'];

/** One who is only rung is still available: somebody else may take that call. */
function placeOf({ shift, currentCallId, onCall, _count }: AgentState): Place {
  if (currentCallId !== null && onCall) return 'onCall';
  return shift === 'AVAILABLE' && _count.connections > 0 ? 'available' : 'offline';
}

const countOf = (places: Place[]): LiveQueue['agents'] => ({
  available: places.filter((place) => place === 'available').length,
  onCall: places.filter((place) => place === 'onCall').length,
  offline: places.filter((place) => place === 'offline').length,
});
