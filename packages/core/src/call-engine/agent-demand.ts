/** Finds the calls and queues that wait for an agent. One statement, because it runs at every release of an agent. */
import type { Database } from '@clarion/db';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { Statement } from '../call-store/step-sql.ts';

export interface AgentDemand {
  /** Calls to the agent's personal line that wait while another call rings the agent (phase `awaiting-owner`), oldest first. */
  callIds: number[];
  /** The queues of the agent in which calls wait that they could be offered, the one with the oldest call first. */
  queueIds: number[];
}

/** $1: the agent. */
const AGENT_DEMAND: Statement = {
  name: 'agent-demand',
  text: `
    select json_build_object(
      'callIds', (
        select coalesce(json_agg("callId" order by "callId"), '[]') from "LiveCall" where "awaitedOwnerId" = $1::int),
      'queueIds', (
        select coalesce(json_agg(m."queueId" order by oldest."waitingSince", m."queueId"), '[]')
        from "QueueMember" m
        join "Queue" q on q."id" = m."queueId"
        cross join lateral (
          select l."waitingSince" from "LiveCall" l
          where l."waitingQueueId" = m."queueId" and (not l."ringing" or q."strategy" = 'RING_ALL')
          order by l."ringing", l."waitingSince" limit 1) oldest
        where m."agentId" = $1::int))`,
};

export const agentDemand = async (db: Database, agentId: number): Promise<AgentDemand> =>
  (await stepSqlOf(db).run(AGENT_DEMAND, [agentId])) as AgentDemand;
