/**
 * Records the results of push notifications: many in one statement, each exactly once, with an entry in the log of its call. Cancelled
 * notifications have no entry: the log says why the call no longer rang the agent.
 */
import type { PushStatus, SqlPool } from '@clarion/db';
import { outcomeOf } from './after-attempt.ts';
import type { DuePush } from './due-push.ts';
import type { PushResult } from '../push-message.ts';

export interface AttemptedPush {
  due: DuePush;
  result: PushResult;
}

export interface RecordedPush {
  /** PENDING: it will be retried. Null: another worker has decided it, or its call was deleted. */
  status: PushStatus | null;
  /** Time until the next attempt, if there is one. */
  retryInMs: number | null;
}

/** Overdue notifications per statement. */
const OVERDUE_BATCH = 1_000;

/** Of rows called `finished`. An entry contains nothing about the customer, so erasure need not change it. */
const LOG_FINISHED = `
  insert into "CallLifecycle" ("callId", type, "agentId", "occurredAt", metadata)
  select "callId", 'PUSHED', "agentId", "finishedAt", jsonb_strip_nulls(jsonb_build_object(
    'deviceId', "deviceId", 'provider', provider, 'platform', platform, 'kind', kind, 'result', status, 'httpStatus', "httpStatus",
    'reason', reason))
  from finished where "finishedAt" is not null`;

const RETRIES = `made.retry_ms is not null and now() + made.retry_ms * interval '1 millisecond' < n."expiresAt"`;

/**
 * The calls are locked first, because a deletion locks a call before its notifications. $1 worker, $2 rows, $3 calls, $4 status, $5 retry,
 * $6 HTTP status, $7 reason.
 */
const RECORD = `
  with made as (
    select * from unnest($2::bigint[], $3::int[], $4::"PushStatus"[], $5::int[], $6::int[], $7::text[])
      as made(id, call_id, to_status, retry_ms, http_status, reason)
  ), held as materialized (
    select c.id from "Call" c where c.id = any($3::int[]) order by c.id for key share
  ), finished as (
    update "PushNotification" n set
      status = case when made.retry_ms is null then made.to_status when ${RETRIES} then 'PENDING' else 'EXPIRED' end,
      "dueAt" = case when ${RETRIES} then now() + made.retry_ms * interval '1 millisecond' else n."dueAt" end,
      "finishedAt" = case when ${RETRIES} then null else now() end,
      attempts = n.attempts + 1,
      "claimedBy" = case when ${RETRIES} then null else n."claimedBy" end,
      "claimedUntil" = null,
      "httpStatus" = made.http_status,
      reason = made.reason
    from made join held on held.id = made.call_id
    where n.id = made.id and n."claimedBy" = $1 and n.status in ('CLAIMED', 'SENDING')
    returning n.*
  ), logged as (${LOG_FINISHED})
  select id as "rowId", status from finished`;

/** What the last attempt said about the token, unless it was registered again since. $4: APNs' environment that accepted it. */
const RECORD_TOKENS = `
  with made as (
    select * from unnest($1::int[], $2::text[], $3::text[], $4::boolean[]) as made(id, sealed, result, sandbox)
  ), held as materialized (
    select k.id from "PushToken" k where k.id = any($1::int[]) order by k.id for no key update
  )
  update "PushToken" k set "lastPushedAt" = now(), "lastResult" = made.result, sandbox = coalesce(made.sandbox, k.sandbox)
  from made join held using (id)
  where k.id = made.id and k."tokenSealed" = made.sealed`;

/**
 * Tokens that are no longer valid do not count until they are registered again. The agents are locked first, as a registration does. $1
 * tokens, $2 as they were sent, $3 agents.
 */
const REJECT_TOKENS = `
  with made as (
    select * from unnest($1::int[], $2::text[], $3::int[]) as made(id, sealed, agent_id)
  ), held as materialized (
    select a.id from "Agent" a where a.id = any($3::int[]) order by a.id for no key update
  )
  update "PushToken" k set "rejectedAt" = now()
  from made join held on held.id = made.agent_id
  where k.id = made.id and k."agentId" = made.agent_id and k."tokenSealed" = made.sealed and k."rejectedAt" is null`;

/** Calls that are being changed by a deletion are left to the next run. */
const END_OVERDUE = `
  with overdue as materialized (
    select n.id, n."callId" from "PushNotification" n
    where n.status in ('PENDING', 'CLAIMED') and n."expiresAt" <= now() or n.status = 'SENDING' and n."claimedUntil" <= now()
    limit $1
  ), held as materialized (
    select c.id from "Call" c where c.id in (select "callId" from overdue) order by c.id for key share skip locked
  ), locked as materialized (
    select n.id from "PushNotification" n join overdue using (id) join held on held.id = n."callId"
    where n.status in ('PENDING', 'CLAIMED') or n.status = 'SENDING' and n."claimedUntil" <= now()
    for update of n skip locked
  ), finished as (
    update "PushNotification" n set
      status = case when n.status = 'SENDING' then 'UNKNOWN' else 'EXPIRED' end::"PushStatus",
      "finishedAt" = now(), "claimedUntil" = null
    from locked where n.id = locked.id
    returning n.*
  ), logged as (${LOG_FINISHED})
  select provider, status from finished`;

/** Resolves with the outcome of each, in order. A notification may be in `attempted` only once. */
export async function recordPushes(
  sql: SqlPool,
  workerId: string,
  attempted: readonly AttemptedPush[],
): Promise<RecordedPush[]> {
  const outcomes = attempted.map(({ due, result }) => outcomeOf(result, due.attempts));
  const { rows } = await sql.query<{ rowId: string; status: PushStatus }>({
    name: 'record-pushes',
    text: RECORD,
    values: [
      workerId,
      attempted.map(({ due }) => due.rowId),
      attempted.map(({ due }) => due.callId),
      outcomes.map(({ status }) => status),
      outcomes.map(({ retryInMs }) => retryInMs),
      outcomes.map(({ httpStatus }) => httpStatus),
      outcomes.map(({ reason }) => reason),
    ],
  });
  const statusOf = new Map(rows.map(({ rowId, status }) => [rowId, status]));
  return attempted.map(({ due }, index) => {
    const status = statusOf.get(due.rowId) ?? null;
    return { status, retryInMs: status === 'PENDING' ? (outcomes[index]?.retryInMs ?? null) : null };
  });
}

/** Separate from the results, because it locks agents, which steps of calls lock too. Repeating it is harmless. */
export async function recordTokens(sql: SqlPool, attempted: readonly AttemptedPush[]): Promise<void> {
  const rejected = attempted.filter(({ result }) => result.outcome === 'rejected').map(({ due }) => due);
  if (rejected.length > 0)
    await sql.query(REJECT_TOKENS, [
      rejected.map(({ tokenId }) => tokenId),
      rejected.map(({ tokenSealed }) => tokenSealed),
      rejected.map(({ agentId }) => agentId),
    ]);
  await sql.query({
    name: 'record-push-tokens',
    text: RECORD_TOKENS,
    values: [
      attempted.map(({ due }) => due.tokenId),
      attempted.map(({ due }) => due.tokenSealed),
      attempted.map(({ due, result }) => outcomeOf(result, due.attempts).reason ?? 'SENT'),
      attempted.map(({ result }) => (result.outcome === 'sent' ? (result.sandbox ?? null) : null)),
    ],
  });
}

/** Ends what was not sent in time, and attempts whose result never became known. Resolves with what became of them. */
export async function endOverduePushes(sql: SqlPool): Promise<{ provider: string; status: PushStatus }[]> {
  const { rows } = await sql.query<{ provider: string; status: PushStatus }>({
    name: 'end-overdue-pushes',
    text: END_OVERDUE,
    values: [OVERDUE_BATCH],
  });
  return rows;
}
