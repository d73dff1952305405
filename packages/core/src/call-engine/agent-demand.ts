/** Finds the calls and queues that wait for an agent. One statement, because it runs at every release of an agent. */
import type { Database } from '@clarion/db';

export interface AgentDemand {
  /** Calls to the agent's personal line that wait while another call rings the agent (phase `awaiting-owner`), oldest first. */
  callIds: number[];
  /** The queues of which the agent is a member. */
  queueIds: number[];
}

export async function agentDemand(db: Database, agentId: number): Promise<AgentDemand> {
  const rows = await db.$queryRaw<{ callId: number | null; queueId: number | null }[]>`
    select "callId", null::int as "queueId" from "LiveCall" where "awaitedOwnerId" = ${agentId}
    union all
    select null::int, "queueId" from "QueueMember" where "agentId" = ${agentId}
    order by 1, 2`;
  return {
    callIds: rows.flatMap(({ callId }) => (callId === null ? [] : [callId])),
    queueIds: rows.flatMap(({ queueId }) => (queueId === null ? [] : [queueId])),
  };
}
