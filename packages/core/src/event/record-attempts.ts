/**
 * Records attempts, moves their events on, and ends their jobs or puts them off to the next attempt: many events in one statement,
 * and each exactly once. An event is moved on only by the attempt that still finds it as it was loaded. Any other run of the attempt
 * (its worker was believed dead, or the event was redelivered meanwhile) only adds its line to the attempts.
 */
import type { EventStatus, SqlPool } from '@clarion/db';
import { isSuccess } from './attempt-delivery.ts';
import type { Attempt, DeliveryOutcome, DueEvent } from './delivery.ts';
import { RETRY_PRIORITY } from './enqueue-delivery.ts';
import { nextAttemptAt } from './schedule.ts';

/** An attempt that was made; null when there was nowhere to send the event to. */
export interface Made {
  due: DueEvent;
  attempt: Attempt | null;
}

export interface Recorded {
  outcome: DeliveryOutcome;
  /** When the next attempt is made, if this one decided it. */
  retryAt: Date | null;
}

/**
 * `held` waits for whoever changes the event at this moment, in the order of the ids, and sees what they left of it. A deletion (of the
 * call, the tenant, the customer's data) is never made to fail by this: our pool gives up waiting before PostgreSQL looks for deadlocks.
 * The job is put off whoever holds it; it is removed only by the one who does.
 */
const RECORD = `
  with made as (
    select * from unnest($2::bigint[], $3::bigint[], $4::int[], $5::timestamptz[], $6::"EventStatus"[], $7::timestamptz[],
      $8::timestamptz[], $9::int[], $10::int[], $11::text[], $12::text[])
      as made(event_id, job_id, loaded_count, loaded_next, to_status, retry_at, at, duration_ms, http_status, error, snippet)
  ), held as materialized (
    select made.*, (e.status = 'PENDING' and e."attemptCount" = loaded_count
      and e."nextAttemptAt" is not distinct from loaded_next) as in_charge
    from made join "Event" e on e.id = made.event_id
    order by made.event_id
    for no key update of e
  ), moved as (
    update "Event" e set status = held.to_status, "nextAttemptAt" = held.retry_at,
      "attemptCount" = held.loaded_count + case when held.at is null then 0 else 1 end
    from held where e.id = held.event_id and held.in_charge
  ), logged as (
    insert into "EventAttempt" ("eventRowId", at, "durationMs", status, error, "responseSnippet")
    select event_id, at, duration_ms, http_status, error, snippet from held where at is not null
  ), put_off as (
    update graphile_worker._private_jobs j set run_at = held.retry_at, priority = $13, attempts = 0,
      locked_by = null, locked_at = null, updated_at = now()
    from held where j.id = held.job_id and held.in_charge and held.retry_at is not null
  ), ended as (
    delete from graphile_worker._private_jobs j using made left join held using (event_id)
    where j.id = made.job_id and j.locked_by = $1
      and (held.in_charge and held.retry_at is not null) is not true
  )
  select event_id as "rowId", in_charge as "inCharge" from held`;

/** Ends jobs that turned out to have nothing to do. */
const END_JOBS = `delete from graphile_worker._private_jobs where id = any($2::bigint[]) and locked_by = $1`;

/**
 * Resolves with what became of each, in their order. No event may be in `made` twice.
 *
 * @param workerId who holds the jobs; null: nobody, and a job that is left will find nothing to do
 */
export async function recordAttempts(
  sql: SqlPool,
  workerId: string | null,
  made: readonly Made[],
): Promise<Recorded[]> {
  const moves = made.map(moveOf);
  const attempts = made.map(({ attempt }) => attempt);
  const { rows } = await sql.query<{ rowId: string; inCharge: boolean }>({
    name: 'record-attempts',
    text: RECORD,
    values: [
      workerId,
      made.map(({ due }) => due.rowId),
      made.map(({ due }) => due.jobId),
      made.map(({ due }) => due.attemptCount),
      made.map(({ due }) => iso(due.nextAttemptAt)),
      moves.map(({ status }) => status),
      moves.map(({ retryAt }) => iso(retryAt)),
      attempts.map((attempt) => iso(attempt?.at)),
      attempts.map((attempt) => attempt?.durationMs ?? null),
      attempts.map((attempt) => attempt?.status ?? null),
      attempts.map((attempt) => attempt?.error ?? null),
      attempts.map((attempt) => attempt?.responseSnippet ?? null),
      RETRY_PRIORITY,
    ],
  });
  const inCharge = new Map(rows.map((row) => [row.rowId, row.inCharge]));
  return made.map(({ due }, index) => {
    const known = inCharge.get(due.rowId);
    const move = moves[index];
    // Unknown: it was deleted with its call while it was on its way.
    if (known === undefined || !move) return { outcome: 'skipped', retryAt: null };
    return known ? move : { outcome: 'superseded', retryAt: null };
  });
}

export async function endIdleJobs(sql: SqlPool, workerId: string, jobIds: readonly string[]): Promise<void> {
  await sql.query(END_JOBS, [workerId, jobIds]);
}

/** Where the attempt takes its event. The wait before the next one begins when this one ended. */
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
