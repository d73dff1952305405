/**
 * Records attempts, and ends their deliveries or reschedules them for the next attempt: many events in one statement, each exactly once. Only
 * an attempt that finds its delivery as it was loaded ends or reschedules it. Any other run of the attempt (its worker was considered dead, or
 * the event was redelivered meanwhile) is only added to the list of attempts.
 */
import type { SqlConnection, SqlPool, Undelivered } from '@clarion/db';
import { isSuccess } from './attempt-delivery.ts';
import type { Attempt, DeliveryOutcome, DueEvent } from './delivery.ts';
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

/**
 * Waits for concurrent changes of a delivery, and changes it only if it is still as loaded: claims change neither the number of attempts nor
 * the time. A row of "Event" is changed only if it will not be delivered.
 */
const RECORD = `
  with made as (
    select * from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::timestamptz[], $5::"Undelivered"[],
      $6::timestamptz[], $7::int[], $8::int[], $9::text[], $10::text[])
      as made(event_id, loaded_count, loaded_due, retry_at, undelivered, at, duration_ms, http_status, error, snippet)
  ), ended as (
    delete from "EventDelivery" d using made
    where made.retry_at is null and d."eventRowId" = made.event_id and d."attemptCount" = made.loaded_count
      and d."dueAt" = made.loaded_due
    returning made.*
  ), put_off as (
    update "EventDelivery" d set "dueAt" = made.retry_at, "attemptCount" = made.loaded_count + 1, priority = $11,
      revision = d.revision + 1, "claimedBy" = null, "claimedAt" = null
    from made
    where made.retry_at is not null and d."eventRowId" = made.event_id and d."attemptCount" = made.loaded_count
      and d."dueAt" = made.loaded_due
    returning made.*
  ), moved as (
    select * from ended union all select * from put_off
  ), given_up as (
    update "Event" e set undelivered = ended.undelivered from ended
    where ended.undelivered is not null and e.id = ended.event_id
  ), logged as (
    insert into "EventAttempt" ("eventRowId", at, "durationMs", status, error, "responseSnippet")
    select event_id, at, duration_ms, http_status, error, snippet from moved where at is not null
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

/** Resolves with the outcome of each, in order. An event may be in `made` only once. */
export async function recordAttempts(
  sql: SqlPool | SqlConnection,
  made: readonly Made[],
): Promise<Recorded[]> {
  const moves = made.map(moveOf);
  const { rows } = await sql.query<{ rowId: string }>({
    name: 'record-attempts',
    text: RECORD,
    values: [
      made.map(({ due }) => due.rowId),
      made.map(({ due }) => due.attemptCount),
      made.map(({ due }) => due.dueAt.toISOString()),
      moves.map(({ retryAt }) => iso(retryAt)),
      moves.map(({ undelivered }) => undelivered),
      ...columnsOf(made),
      RETRY_PRIORITY,
    ],
  });
  const moved = new Set(rows.map(({ rowId }) => rowId));
  const others = made.filter(({ due }) => !moved.has(due.rowId));
  const known = others.length > 0 ? await logOnly(sql, others) : new Set();
  return made.map(({ due }, index) => {
    const move = moves[index];
    if (move && moved.has(due.rowId)) return move;
    // Unknown: it was deleted with its call while it was being sent.
    return { outcome: known.has(due.rowId) ? 'superseded' : 'skipped', retryAt: null };
  });
}

/** Resolves with the events that still exist. The delivery was rescheduled or ended by another run. */
async function logOnly(sql: SqlPool | SqlConnection, made: readonly Made[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ rowId: string }>(LOG_ONLY, [
    made.map(({ due }) => due.rowId),
    ...columnsOf(made),
  ]);
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

/** What the attempt decides. The wait before the next attempt begins when this one ends. */
function moveOf({ due, attempt }: Made): Recorded & { undelivered: Undelivered | null } {
  if (!attempt) return { undelivered: 'DISCARDED', retryAt: null, outcome: 'discarded' };
  if (isSuccess(attempt.status)) return { undelivered: null, retryAt: null, outcome: 'delivered' };
  const endedAt = new Date(attempt.at.getTime() + attempt.durationMs);
  const retryAt = nextAttemptAt(due.attemptCount + 1, endedAt);
  return retryAt
    ? { undelivered: null, retryAt, outcome: 'retrying' }
    : { undelivered: 'FAILED', retryAt: null, outcome: 'failed' };
}

const iso = (at: Date | null | undefined) => at?.toISOString() ?? null;
