/** Queries the database twice a second for violated invariants: agents reserved twice, callers who are not offered to an idle agent. */
import { reservedAgentIds } from '@clarion/core/call-machine/state';
import { parseState } from '@clarion/core/call-engine/stored';
import type { Soak } from './lives.ts';

const LOOK_MS = 500;
/** A waiting call is offered within one second of an agent becoming available. */
const OFFERED_WITHIN_MS = 1_000;
/** A query that is this late or takes this much longer ran without enough CPU, and so did the processes it checks. */
const STARVED_MS = 250;

/** Until the soak test stops. */
export async function watch(soak: Soak): Promise<void> {
  const since = new Map<string, number>();
  while (!soak.stopped) {
    await soak.pause(LOOK_MS);
    if (!soak.calm) since.clear();
    else
      await look(soak, since).catch((error: Error) => soak.calm && soak.violated(`a look: ${error.message}`));
  }
}

async function look(soak: Soak, since: Map<string, number>): Promise<void> {
  const { db } = soak.t;
  const rows = await db.liveCall.findMany({ select: { callId: true, state: true } });
  const holders = new Map<number, number>();
  for (const { callId, state } of rows) {
    for (const agentId of reservedAgentIds(parseState(state))) {
      const other = holders.get(agentId);
      if (other !== undefined) soak.violated(`agent ${agentId} is in calls ${other} and ${callId}`);
      holders.set(agentId, callId);
    }
  }
  const now = performance.now();
  const overlooked = await overlookedCallers(soak);
  if (performance.now() - now > STARVED_MS) since.clear();
  for (const key of since.keys()) if (!overlooked.has(key)) since.delete(key);
  for (const key of overlooked) {
    const first = since.get(key) ?? now;
    since.set(key, first);
    if (now - first > OFFERED_WITHIN_MS + LOOK_MS) {
      soak.violated(`${key} for ${Math.round(now - first)} ms`);
      since.delete(key);
    }
  }
}

/** Pairs of a waiting call and an idle member of its queue who is eligible for it. */
async function overlookedCallers({ t }: Soak): Promise<Set<string>> {
  const pairs = await t.db.$queryRaw<{ callId: number; agentId: number }[]>`
    select l."callId", a."id" as "agentId" from "LiveCall" l
    join "QueueMember" m on m."queueId" = l."waitingQueueId"
    join "Agent" a on a."id" = m."agentId"
    join "Queue" q on q."id" = l."waitingQueueId"
    where l."state" ->> 'phase' = 'waiting' and q."maxActiveCalls" is null
      and a."shift" = 'AVAILABLE' and a."currentCallId" is null and a."deletedAt" is null
      and (a."wrapUpUntil" is null or a."wrapUpUntil" < now())
      and exists (select from "AgentConnection" c where c."agentId" = a."id")
      and not l."state" #> '{wait,declined}' @> to_jsonb(a."id")
      and not exists (select from "LiveCall" o where o."waitingQueueId" = l."waitingQueueId"
        and o."waitingSince" < l."waitingSince" and o."state" ->> 'phase' = 'waiting')`;
  return new Set(pairs.map(({ callId, agentId }) => `call ${callId} waits though agent ${agentId} is free`));
}
