/** What may want an agent who is free, or has just taken a call: read in one statement, since every agent who is let go asks it. */
import type { Database } from '@clarion/db';

export interface Wants {
  /** Calls to a line of theirs that wait while another call rings at them (phase `awaiting-owner`): the oldest first. */
  callIds: number[];
  /** The queues they are a member of. */
  queueIds: number[];
}

export async function whatWants(db: Database, agentId: number): Promise<Wants> {
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
