/** A caller's position in their queue and estimated wait time (effect `announce`). */
import type { Database } from '@clarion/db';
import { whereReachable } from '../agent/reachable.ts';
import { estimateWaitSeconds } from '../queue-routing/estimated-wait.ts';
import { waitOf } from '../call-machine/state.ts';
import { parseState } from './stored.ts';

/** How many conversations the estimate uses, and among how many of the queue's calls they are searched. */
const RECENT_CONVERSATIONS = 20;
const RECENT_CALLS = 200;

export interface QueuePosition {
  /** 1: next in line. */
  position: number;
  /** Null: no agent is on shift. */
  waitSeconds: number | null;
}

/** @returns null if the call is not waiting there any more */
export async function queuePosition(
  db: Database,
  callId: number,
  queueId: number,
): Promise<QueuePosition | null> {
  const live = await db.liveCall.findUnique({ where: { callId }, select: { state: true } });
  const wait = live && waitOf(parseState(live.state));
  const queue = await db.queue.findUnique({ where: { id: queueId } });
  if (!wait || wait.stops[0]?.queueId !== queueId || !queue) return null;
  const since = new Date(wait.since);
  const ahead = await db.liveCall.count({
    where: {
      waitingQueueId: queueId,
      OR: [{ waitingSince: { lt: since } }, { waitingSince: since, callId: { lt: callId } }],
    },
  });
  const agents = await db.queueMember.count({
    where: { queueId, agent: { shift: 'AVAILABLE', deletedAt: null, ...whereReachable } },
  });
  const talkSeconds = await averageTalkSeconds(db, queue);
  return {
    position: ahead + 1,
    waitSeconds: estimateWaitSeconds({
      ahead,
      agents,
      averageHandlingSeconds: talkSeconds === null ? null : talkSeconds + queue.wrapUpSeconds,
      maxActiveCalls: queue.maxActiveCalls,
    }),
  };
}

async function averageTalkSeconds(
  db: Database,
  { id, tenantId }: { id: number; tenantId: number },
): Promise<number | null> {
  const [row] = await db.$queryRaw<{ seconds: number | null }[]>`
    select avg(extract(epoch from talked."endedAt" - talked."answeredAt"))::float8 as seconds from (
      select * from (
        select "answeredAt", "endedAt" from "Call"
        where "tenantId" = ${tenantId} and "queueId" = ${id}
        order by "id" desc limit ${RECENT_CALLS}) recent
      where "answeredAt" is not null and "endedAt" is not null
      limit ${RECENT_CONVERSATIONS}) talked`;
  return row?.seconds ?? null;
}
