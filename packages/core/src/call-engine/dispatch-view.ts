/**
 * What a dispatch reads, in one statement: the oldest waiting calls of the queues, their first idle agents, and how many calls each queue
 * handles. Limited, so that it costs the same however many calls wait and agents are idle; without an idle agent it reads no call.
 */
import { Prisma } from '@clarion/db';
import type { Database, QueueStrategy } from '@clarion/db';
import type { Age, QueueView } from '../queue-routing/plan.ts';
import { preparedQuery } from '../call-store/prepared-query.ts';
import { skillsAskedFor } from '../call-machine/state.ts';
import type { QueueWait } from '../call-machine/state.ts';

/** How many waiting calls and idle agents of a queue are read: enough for the offers that are made between two reads. */
export const FEW = 20;

export interface DispatchedQueue extends QueueView {
  ringTimeoutSeconds: number;
  maxActiveCalls: number | null;
}

export interface DispatchView {
  queues: DispatchedQueue[];
  /** Calls that wait in a queue which was deleted. If there are many, these are the first ones. */
  orphaned: { callId: number; queueId: number }[];
}

/** JSON as the statement below writes it, its only source. */
interface Row {
  queueId: number;
  strategy: QueueStrategy | null;
  ringTimeoutSeconds: number | null;
  maxActiveCalls: number | null;
  handled: number;
  calls: CallRow[] | null;
  agents: { agentId: number; priority: number; skills: string[]; idleSince: number }[] | null;
}

interface CallRow {
  callId: number;
  since: number;
  /** The call counts against the queue's max_active_calls already. */
  handled: boolean;
  wait: Pick<QueueWait, 'declined' | 'missed' | 'skills' | 'relaxAt' | 'relaxed'>;
  offers: { agentId: number }[] | null;
}

/**
 * Reads these queues, and every queue in which an idle agent of theirs could take an older call.
 *
 * @param most how many calls and agents of a queue are read; null: all
 */
export async function readDispatch(
  db: Database,
  queueIds: readonly number[],
  now: Date,
  most: number | null = FEW,
): Promise<DispatchView> {
  const rows = await preparedQuery<Row>(db, 'read-dispatch', dispatchStatement(queueIds, now, most));
  const limit = most ?? Infinity;
  return {
    queues: rows.flatMap((row) => viewOf(row, now, limit)),
    orphaned: rows.flatMap(({ strategy, queueId, calls }) =>
      strategy === null ? (calls ?? []).map(({ callId }) => ({ callId, queueId })) : [],
    ),
  };
}

function viewOf(row: Row, now: Date, limit: number): DispatchedQueue[] {
  const { queueId, strategy, ringTimeoutSeconds, maxActiveCalls, handled } = row;
  if (strategy === null || ringTimeoutSeconds === null) return [];
  const calls = row.calls ?? [];
  const agents = row.agents ?? [];
  return [
    {
      queueId,
      strategy,
      ringTimeoutSeconds,
      maxActiveCalls,
      waiting: calls.map((call) => ({ since: call.since, call: waitingCall(call, now) })),
      free: agents,
      capacity: maxActiveCalls === null ? null : maxActiveCalls - handled,
      showsCallsTo: showsCallsTo(calls, limit),
      // RING_ALL reads every idle agent.
      moreAgents: strategy !== 'RING_ALL' && agents.length >= limit,
    },
  ];
}

/** Those that ring and those that do not are limited separately. */
function showsCallsTo(calls: readonly CallRow[], limit: number): Age | null {
  const ends = [true, false].flatMap((ringing) => {
    const page = calls.filter(({ offers }) => isRinging(offers) === ringing);
    const last = page.at(-1);
    return last && page.length >= limit ? [last] : [];
  });
  return calls.find((call) => ends.includes(call)) ?? null;
}

const isRinging = (offers: CallRow['offers']): boolean => (offers ?? []).length > 0;

const waitingCall = ({ callId, handled, wait, offers }: CallRow, now: Date) => ({
  callId,
  ringingAt: (offers ?? []).map(({ agentId }) => agentId),
  declined: wait.declined,
  missed: wait.missed,
  skills: skillsAskedFor(wait, now.getTime()),
  handled,
});

/** An agent becomes idle only when a wrap-up that was still running has ended. Index: Agent_tenantId_idle. */
const IDLE_SINCE = Prisma.sql`greatest(a."idleSince", a."wrapUpUntil")`;

/** Whom a queue may ring. The index contains the first three conditions. */
const isIdle = (now: Date): Prisma.Sql => Prisma.sql`
  a."shift" = 'AVAILABLE' and a."currentCallId" is null and a."deletedAt" is null
  and (a."wrapUpUntil" is null or a."wrapUpUntil" <= ${now})
  and exists (select from "AgentConnection" s where s."agentId" = a."id")`;

const MEMBER = Prisma.sql`m."agentId", m."priority", m."skills",
  (extract(epoch from ${IDLE_SINCE}) * 1000)::float8 as "idleSince"`;

/**
 * The idle members of queue `q`, in the order of its strategy. The longest idle are read from the tenant's idle agents; with priorities the
 * members are sorted.
 */
const idleMembers = (now: Date, most: number | null): Prisma.Sql => Prisma.sql`
  (select ${MEMBER} from "Agent" a join "QueueMember" m on m."queueId" = q."id" and m."agentId" = a."id"
    where q."strategy" <> 'PRIORITY' and a."tenantId" = q."tenantId" and ${isIdle(now)}
    order by ${IDLE_SINCE}, a."id" limit case when q."strategy" = 'RING_ALL' then null else ${most}::int end)
  union all
  (select ${MEMBER} from "QueueMember" m join "Agent" a on a."id" = m."agentId"
    where q."strategy" = 'PRIORITY' and m."queueId" = q."id" and ${isIdle(now)}
    order by m."priority", ${IDLE_SINCE}, a."id" limit ${most}::int)`;

/** A call's wait and its offers, of a caller or of a transferred call: `waitOf` and `offersOf` of call-machine/state.ts. */
const CALL = Prisma.sql`l."callId", (extract(epoch from l."waitingSince") * 1000)::float8 as "since",
  l."activeQueueId" is not distinct from l."waitingQueueId" as "handled",
  coalesce(l."state"->'wait', l."state"#>'{transfer,wait}') - 'stops' as "wait",
  coalesce(l."state"->'offers', l."state"#>'{transfer,offers}') as "offers"`;

/** The waiting calls of `here`, oldest first. RING_ALL adds agents to those that ring. Index: the queue, ringing, the time of entry. */
const waitingCalls = (most: number | null): Prisma.Sql => Prisma.sql`
  (select ${CALL} from "LiveCall" l where l."waitingQueueId" = here."queueId" and not l."ringing"
    order by l."waitingSince", l."callId" limit ${most}::int)
  union all
  (select ${CALL} from "LiveCall" l where here."strategy" = 'RING_ALL' and l."waitingQueueId" = here."queueId" and l."ringing"
    order by l."waitingSince", l."callId" limit ${most}::int)`;

/** The statement of `readDispatch`, for tests of its plan. */
export const dispatchStatement = (
  queueIds: readonly number[],
  now: Date,
  most: number | null,
): Prisma.Sql => Prisma.sql`
  with asked as materialized (
    select w.id from unnest(${[...queueIds]}::int[]) w(id)
    where exists (select from "LiveCall" l where l."waitingQueueId" = w.id)
  ), rung as materialized (
    select distinct i."agentId" from asked join "Queue" q on q."id" = asked.id
    cross join lateral (${idleMembers(now, most)}) i
  ), near as (
    select id from asked
    union
    select m."queueId" from rung join "QueueMember" m on m."agentId" = rung."agentId"
    where exists (select from "LiveCall" l where l."waitingQueueId" = m."queueId")
  ), here as materialized (
    select near.id as "queueId", q."strategy", q."ringTimeoutSeconds", q."maxActiveCalls", (
        select json_agg(i) from (${idleMembers(now, most)}) i
        where t."status" = 'ACTIVE' and c."status" = 'ACTIVE') as "agents"
    from near
    left join "Queue" q on q."id" = near.id
    left join "Tenant" t on t."id" = q."tenantId"
    left join "Consumer" c on c."id" = t."consumerId"
  )
  select here.*, (
      select json_agg(w order by w."since", w."callId") from (${waitingCalls(most)}) w
      where here."agents" is not null or here."strategy" is null) as "calls",
    case when here."maxActiveCalls" is null or here."agents" is null then 0
      else ${handledCalls(Prisma.sql`here."queueId"`)} end as "handled"
  from here`;

/** Calls that the queue has handed out: an agent has them or is being rung. */
const handledCalls = (queueId: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  (select count(*) from "LiveCall" l where l."activeQueueId" = ${queueId})
  + (select count(*) from "LiveCall" l where l."waitingQueueId" = ${queueId} and l."ringing"
     and l."activeQueueId" is distinct from ${queueId}))::int`;

/** The calls of a queue that count against its max_active_calls, for a decision under the queue's lock. */
export async function countHandled(tx: Pick<Database, '$queryRaw'>, queueId: number): Promise<number> {
  const [row] = await tx.$queryRaw<
    { handled: number }[]
  >`select ${handledCalls(Prisma.sql`${queueId}::int`)} as handled`;
  return row?.handled ?? 0;
}
