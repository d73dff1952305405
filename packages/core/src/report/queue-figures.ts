/** The current state of a tenant's queues, for the live report and the live board. The README defines every figure. */
import type { Tx } from '@clarion/db';

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
  _count: { select: { connections: true } },
} as const;

interface AgentState {
  shift: 'AVAILABLE' | 'OFFLINE';
  currentCallId: number | null;
  onCall: boolean;
  _count: { connections: number };
}
type Place = 'available' | 'onCall' | 'offline';

/** An agent who is only ringing is still available: another agent may answer that call. */
function placeOf({ shift, currentCallId, onCall, _count }: AgentState): Place {
  if (currentCallId !== null && onCall) return 'onCall';
  return shift === 'AVAILABLE' && _count.connections > 0 ? 'available' : 'offline';
}

const countOf = (places: Place[]): Record<Place, number> => ({
  available: places.filter((place) => place === 'available').length,
  onCall: places.filter((place) => place === 'onCall').length,
  offline: places.filter((place) => place === 'offline').length,
});
