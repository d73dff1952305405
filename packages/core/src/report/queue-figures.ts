/** The current state of a tenant's queues, for the live report and the live board. The README defines every figure. */
import type { Agent, Tx } from '@clarion/db';
import { isReachable, reachability } from '../agent/reachable.ts';

export interface QueueFigures {
  queueId: number;
  ref: string;
  name: string;
  waiting: number;
  /** When the longest-waiting caller entered the first queue; null: no one is waiting. */
  longestWaitingSince: Date | null;
  agents: Record<Place, number>;
}

export async function queueFigures(db: Tx, tenantId: number): Promise<QueueFigures[]> {
  const queues = await db.queue.findMany({
    where: { tenantId },
    orderBy: { id: 'asc' },
    select: { id: true, ref: true, name: true, members: { select: { agent: { select: agentState } } } },
  });
  const waits = await db.liveCall.groupBy({
    by: ['waitingQueueId'],
    where: { tenantId, waitingQueueId: { not: null } },
    _count: { callId: true },
    _min: { waitingSince: true },
  });
  const waitOf = new Map(waits.map(({ waitingQueueId, ...wait }) => [waitingQueueId, wait]));
  return queues.map(({ id, ref, name, members }) => ({
    queueId: id,
    ref,
    name,
    waiting: waitOf.get(id)?._count.callId ?? 0,
    longestWaitingSince: waitOf.get(id)?._min.waitingSince ?? null,
    agents: countOf(members.map(({ agent }) => placeOf(agent))),
  }));
}

const agentState = {
  shift: true,
  currentCallId: true,
  onCall: true,
  ...reachability,
} as const;

type AgentState = Pick<Agent, 'shift' | 'currentCallId' | 'onCall'> & Parameters<typeof isReachable>[0];
type Place = 'available' | 'onCall' | 'offline';

/** An agent who is only ringing is still available: another agent may answer that call. */
function placeOf(agent: AgentState): Place {
  if (agent.currentCallId !== null && agent.onCall) return 'onCall';
  return agent.shift === 'AVAILABLE' && isReachable(agent) ? 'available' : 'offline';
}

const countOf = (places: Place[]): Record<Place, number> => ({
  available: places.filter((place) => place === 'available').length,
  onCall: places.filter((place) => place === 'onCall').length,
  offline: places.filter((place) => place === 'offline').length,
});
