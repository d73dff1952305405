/** Finds the calls and queues that wait for an agent. One statement, because it runs at every release of an agent. */
import { Prisma } from '@clarion/db';
import type { Database } from '@clarion/db';
import { preparedQuery } from '../call-store/prepared-query.ts';

export interface AgentDemand {
  /** Calls to the agent's personal line that wait while another call rings the agent (phase `awaiting-owner`), oldest first. */
  callIds: number[];
  /** The queues of the agent in which calls wait that they could be offered, the one with the oldest call first. */
  queueIds: number[];
}

interface Row {
  callId: number | null;
  queueId: number | null;
}

export async function agentDemand(db: Database, agentId: number): Promise<AgentDemand> {
  const rows = await preparedQuery<Row>(
    db,
    'agent-demand',
    Prisma.sql`
    select "callId", null::int as "queueId", null::timestamptz as "since" from "LiveCall"
    where "awaitedOwnerId" = ${agentId}
    union all
    select null::int, m."queueId", oldest."waitingSince" from "QueueMember" m
    join "Queue" q on q."id" = m."queueId"
    cross join lateral (
      select l."waitingSince" from "LiveCall" l
      where l."waitingQueueId" = m."queueId" and (not l."ringing" or q."strategy" = 'RING_ALL')
      order by l."ringing", l."waitingSince" limit 1) oldest
    where m."agentId" = ${agentId}
    order by "callId", "since", "queueId"`,
  );
  return {
    callIds: rows.flatMap(({ callId }) => (callId === null ? [] : [callId])),
    queueIds: rows.flatMap(({ queueId }) => (queueId === null ? [] : [queueId])),
  };
}
