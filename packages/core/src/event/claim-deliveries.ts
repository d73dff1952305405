/**
 * Claims many due deliveries, each with all that its attempt needs: one statement instead of four per delivery.
 *
 * The jobs belong to graphile-worker, are added with `add_job` and unlocked from dead workers like all others. Only claiming and completing
 * them is done here, on its private tables (the version is pinned), because its own batches cannot limit jobs per consumer.
 */
import { PRIVATE_JOBS, PRIVATE_TASKS } from '@clarion/db';
import type { SqlPool } from '@clarion/db';
import type { DueEvent } from './delivery.ts';

/** What a worker may claim now. */
export interface ClaimLimits {
  /** Deliveries in total. */
  count: number;
  /** Consumers whose deliveries are skipped. */
  fullConsumers: readonly number[];
  /** Consumer → maximum number of its deliveries; any other consumer: `roomOfOthers`. */
  room: ReadonlyMap<number, number>;
  roomOfOthers: number;
}

export interface Claimed {
  due: DueEvent[];
  /** Jobs whose event is deleted or not pending any more. They only need to be completed. */
  idleJobs: string[];
  /** There may be more deliveries that are due and allowed. */
  more: boolean;
}

/** Due jobs examined per claim. If one consumer's backlog is longer, it hides the others in this claim, and the next one skips it. */
const WINDOW = 2_000;

const loaded = `e.id as "rowId", e."eventId", e."consumerId", e.body, e."attemptCount", e."nextAttemptAt",
  c."webhookUrl", c."webhookSecretSealed", c."previousSecretSealed", c."previousSecretUntil"`;

/**
 * The smallest priority number first, then the longest due. Only claimed rows are locked. $1 worker, $2 flags to skip, $3 window, $4 and $5
 * limits by flag, $6 limit for others, $7 count.
 */
const CLAIM = `
  with due as materialized (
    select j.id, j.flags, j.priority, j.run_at
    from ${PRIVATE_JOBS} j
    where j.is_available and j.run_at <= now() and (j.flags ?| $2::text[]) is not true
      and j.task_id = (select id from ${PRIVATE_TASKS} where identifier = 'deliver-event')
    order by j.priority, j.run_at
    limit $3
  ), ranked as (
    select due.*, row_number() over (partition by due.flags order by due.priority, due.run_at) as place from due
  ), picked as (
    select ranked.id from ranked
    left join unnest($4::jsonb[], $5::int[]) as limited(flags, room) using (flags)
    where place <= coalesce(limited.room, $6)
    order by priority, run_at
    limit $7
  ), taken as (
    select j.id from picked join ${PRIVATE_JOBS} j using (id)
    where j.is_available
    for update of j skip locked
  ), claimed as (
    update ${PRIVATE_JOBS} j set attempts = j.attempts + 1, locked_by = $1, locked_at = now()
    from taken where j.id = taken.id
    returning j.id, j.revision, j.priority, j.run_at, (j.payload ->> 'eventId')::uuid as event_id
  )
  select claimed.id as "jobId", claimed.revision as "jobRevision", (select count(*)::int from due) as "seen", ${loaded}
  from claimed
  left join "Event" e on e."eventId" = claimed.event_id and e.status = 'PENDING'
  left join "Consumer" c on c.id = e."consumerId"
  order by claimed.priority, claimed.run_at`;

/** Resets the attempts of a job that was not started. $2: in how many ms it is due; null: immediately, without counting an attempt. */
const RELEASE = `
  update ${PRIVATE_JOBS} set locked_by = null, locked_at = null,
    attempts = case when $3::int is null then greatest(attempts - 1, 0) else attempts end,
    run_at = case when $3::int is null then run_at else now() + $3 * interval '1 millisecond' end
  where id = any($2::bigint[]) and locked_by = $1`;

/** `rowId` null: the event is deleted or not pending any more. */
type Row = Omit<DueEvent, 'endpoint' | 'rowId'> &
  DueEvent['endpoint'] & { rowId: string | null; seen: number };

/** The job flag by which a worker skips a consumer's deliveries. */
export const consumerFlag = (consumerId: number) => `consumer:${consumerId}`;

export async function claimDeliveries(
  sql: SqlPool,
  workerId: string,
  { count, fullConsumers, room, roomOfOthers }: ClaimLimits,
): Promise<Claimed> {
  const { rows } = await sql.query<Row>({
    name: 'claim-deliveries',
    text: CLAIM,
    values: [
      workerId,
      fullConsumers.map(consumerFlag),
      WINDOW,
      [...room.keys()].map((id) => JSON.stringify({ [consumerFlag(id)]: true })),
      [...room.values()],
      roomOfOthers,
      count,
    ],
  });
  return {
    due: rows.flatMap(toDueEvent),
    idleJobs: rows.filter(({ rowId }) => rowId === null).map(({ jobId }) => jobId),
    more: rows.length > 0 && (rows.length >= count || (rows[0]?.seen ?? 0) >= WINDOW),
  };
}

/** Releases deliveries that were claimed and not started, or that could not be started (`retryInMs`). */
export async function releaseDeliveries(
  sql: SqlPool,
  workerId: string,
  jobIds: readonly string[],
  retryInMs: number | null = null,
): Promise<void> {
  await sql.query(RELEASE, [workerId, jobIds, retryInMs]);
}

function toDueEvent(row: Row): DueEvent[] {
  const { webhookUrl, webhookSecretSealed, previousSecretSealed, previousSecretUntil, rowId } = row;
  if (rowId === null) return [];
  const endpoint = { webhookUrl, webhookSecretSealed, previousSecretSealed, previousSecretUntil };
  const { jobId, jobRevision, eventId, consumerId, body, attemptCount, nextAttemptAt } = row;
  return [{ rowId, jobId, jobRevision, eventId, consumerId, body, attemptCount, nextAttemptAt, endpoint }];
}
