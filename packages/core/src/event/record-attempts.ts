/**
 * Records attempts, updates their events, and ends their deliveries or reschedules them for the next attempt: many events in one
 * statement, each exactly once. Only an attempt that finds its event as it was loaded updates it. Any other run of the attempt (its worker was
 * considered dead, or the event was redelivered meanwhile) is only added to the list of attempts.
 */
import type { EventStatus, SqlPool } from '@clarion/db';
import { isSuccess } from './attempt-delivery.ts';
import { claimColumns } from './claim-deliveries.ts';
import type { Attempt, ClaimedDelivery, DeliveryOutcome, DueEvent } from './delivery.ts';
import { RETRY_PRIORITY } from './enqueue-delivery.ts';
import { nextAttemptAt } from './schedule.ts';

/** An attempt that was made; null if there was no URL. */
export interface Made {
  due: DueEvent;
  attempt: Attempt | null;
}

export interface Recorded {
  outcome: DeliveryOutcome;
  /** Time of the next attempt, if this one decided it. */
  retryAt: Date | null;
}

/** Waits for concurrent changes of an event, and updates it only if it is still as loaded. */
const RECORD = `
  with made as (
    select * from unnest($2::bigint[], $3::int[], $4::timestamptz[], $5::"EventStatus"[], $6::timestamptz[],
      $7::timestamptz[], $8::int[], $9::int[], $10::text[], $11::text[])
      as made(event_id, loaded_count, loaded_next, to_status, retry_at, at, duration_ms, http_status, error, snippet)
  ), moved as (
    update "Event" e set status = made.to_status, "nextAttemptAt" = made.retry_at,
      "attemptCount" = made.loaded_count + case when made.at is null then 0 else 1 end
    from made
    where e.id = made.event_id and e.status = 'PENDING' and e."attemptCount" = made.loaded_count
      and e."nextAttemptAt" is not distinct from made.loaded_next
    returning made.*
  ), logged as (
    insert into "EventAttempt" ("eventRowId", at, "durationMs", status, error, "responseSnippet")
    select event_id, at, duration_ms, http_status, error, snippet from moved where at is not null
  ), put_off as (
    update "EventDelivery" d set "dueAt" = moved.retry_at, priority = $12, revision = d.revision + 1,
      "claimedBy" = null, "claimedAt" = null
    from moved where d."eventRowId" = moved.event_id and moved.retry_at is not null
  ), ended as (
    delete from "EventDelivery" d using moved
    where d."eventRowId" = moved.event_id and d."claimedBy" = $1 and moved.retry_at is null
  )
  select event_id as "rowId" from moved`;

/** Adds an attempt that decided nothing, if its event still exists: the insert waits for a concurrent deletion. */
const LOG_ONLY = `
  with held as materialized (select id from "Event" where id = any($1::bigint[]) order by id for key share), logged as (
    insert into "EventAttempt" ("eventRowId", at, "durationMs", status, error, "responseSnippet")
    select id, at, duration_ms, http_status, error, snippet
    from held join unnest($1::bigint[], $2::timestamptz[], $3::int[], $4::int[], $5::text[], $6::text[])
      as made(id, at, duration_ms, http_status, error, snippet) using (id)
    where at is not null
  )
  select id as "rowId" from held`;

/** Ends deliveries that had nothing to do, unless they were rescheduled or claimed again. */
const END = `
  delete from "EventDelivery" d using unnest($2::bigint[], $3::int[]) as ended(id, revision)
  where d."eventRowId" = ended.id and d.revision = ended.revision and d."claimedBy" = $1`;

/**
 * Resolves with the outcome of each, in order. An event may be in `made` only once.
 *
 * @param workerId the worker that has claimed the deliveries
 */
export async function recordAttempts(
  sql: SqlPool,
  workerId: string,
  made: readonly Made[],
): Promise<Recorded[]> {
  const moves = made.map(moveOf);
  const { rows } = await sql.query<{ rowId: string }>({
    name: 'record-attempts',
    text: RECORD,
    values: [
      workerId,
      made.map(({ due }) => due.rowId),
      made.map(({ due }) => due.attemptCount),
      made.map(({ due }) => iso(due.nextAttemptAt)),
      moves.map(({ status }) => status),
      moves.map(({ retryAt }) => iso(retryAt)),
      ...columnsOf(made),
      RETRY_PRIORITY,
    ],
  });
  const moved = new Set(rows.map(({ rowId }) => rowId));
  const others = made.filter(({ due }) => !moved.has(due.rowId));
  const known = others.length > 0 ? await logOnly(sql, workerId, others) : new Set();
  return made.map(({ due }, index) => {
    const move = moves[index];
    if (move && moved.has(due.rowId)) return move;
    // Unknown: it was deleted with its call while it was being sent.
    return { outcome: known.has(due.rowId) ? 'superseded' : 'skipped', retryAt: null };
  });
}

/** Resolves with the events that still exist. The delivery was rescheduled or ended by another run. */
async function logOnly(sql: SqlPool, workerId: string, made: readonly Made[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ rowId: string }>(LOG_ONLY, [
    made.map(({ due }) => due.rowId),
    ...columnsOf(made),
  ]);
  await endDeliveries(
    sql,
    workerId,
    made.map(({ due }) => due),
  );
  return new Set(rows.map(({ rowId }) => rowId));
}

const columnsOf = (made: readonly Made[]) => {
  const attempts = made.map(({ attempt }) => attempt);
  return [
    attempts.map((attempt) => iso(attempt?.at)),
    attempts.map((attempt) => attempt?.durationMs ?? null),
    attempts.map((attempt) => attempt?.status ?? null),
    attempts.map((attempt) => attempt?.error ?? null),
    attempts.map((attempt) => attempt?.responseSnippet ?? null),
  ];
};

/** Only those that are still claimed as given. */
export async function endDeliveries(
  sql: SqlPool,
  workerId: string,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  await sql.query(END, [workerId, ...claimColumns(deliveries)]);
}

/** The event's state after the attempt. The wait before the next attempt begins when this one ends. */
function moveOf({ due, attempt }: Made): Recorded & { status: EventStatus } {
  if (!attempt) return { status: 'DISCARDED', retryAt: null, outcome: 'discarded' };
  if (isSuccess(attempt.status)) return { status: 'DELIVERED', retryAt: null, outcome: 'delivered' };
  const endedAt = new Date(attempt.at.getTime() + attempt.durationMs);
  const retryAt = nextAttemptAt(due.attemptCount + 1, endedAt);
  return retryAt
    ? { status: 'PENDING', retryAt, outcome: 'retrying' }
    : { status: 'FAILED', retryAt: null, outcome: 'failed' };
}

const iso = (at: Date | null | undefined) => at?.toISOString() ?? null;
