/**
 * Claims many due deliveries, each with all that its attempt needs, in one statement. A claim is a mark on the delivery's row, so that no
 * transaction is open while an event is sent; the marks of dead workers are removed (apps/worker heartbeat.ts).
 */
import type { SqlPool } from '@clarion/db';
import type { ClaimedDelivery, DueEvent } from './delivery.ts';

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
  /** There may be more deliveries that are due and allowed. */
  more: boolean;
}

/** Due jobs examined per claim. If one consumer's backlog is longer, it hides the others in this claim, and the next one skips it. */
const WINDOW = 2_000;

/**
 * The smallest priority number first, then the longest due. Only claimed rows are locked. $1 worker, $2 consumers to skip, $3 window, $4 and
 * $5 limits by consumer, $6 limit for others, $7 count.
 */
const CLAIM = `
  with due as materialized (
    select d."eventRowId", d."consumerId", d.priority, d."dueAt"
    from "EventDelivery" d
    where d."claimedBy" is null and d."dueAt" <= now() and d."consumerId" <> all($2::int[])
    order by d.priority, d."dueAt"
    limit $3
  ), ranked as (
    select due.*, row_number() over (partition by due."consumerId" order by due.priority, due."dueAt") as place from due
  ), picked as (
    select ranked."eventRowId" from ranked
    left join unnest($4::int[], $5::int[]) as limited("consumerId", room) using ("consumerId")
    where place <= coalesce(limited.room, $6)
    order by priority, "dueAt"
    limit $7
  ), taken as (
    select d."eventRowId" from picked join "EventDelivery" d using ("eventRowId")
    where d."claimedBy" is null
    for update of d skip locked
  ), claimed as (
    update "EventDelivery" d set "claimedBy" = $1, "claimedAt" = now(), revision = d.revision + 1
    from taken where d."eventRowId" = taken."eventRowId"
    returning d."eventRowId", d.revision, d.priority, d."dueAt", d."attemptCount"
  )
  select claimed."eventRowId" as "rowId", claimed.revision, claimed."attemptCount", claimed."dueAt",
    (select count(*)::int from due) as "seen", e."eventId", e."consumerId", e.body,
    c."webhookUrl", c."webhookSecretSealed", c."previousSecretSealed", c."previousSecretUntil"
  from claimed
  join "Event" e on e.id = claimed."eventRowId"
  join "Consumer" c on c.id = e."consumerId"
  order by claimed.priority, claimed."dueAt"`;

/** Releases claims whose attempt was not started. $4: in how many ms they are due; null: immediately. */
const RELEASE = `
  update "EventDelivery" d set "claimedBy" = null, "claimedAt" = null,
    "dueAt" = case when $4::int is null then d."dueAt" else now() + $4 * interval '1 millisecond' end
  from unnest($2::bigint[], $3::int[]) as released(id, revision)
  where d."eventRowId" = released.id and d.revision = released.revision and d."claimedBy" = $1`;

type Row = Omit<DueEvent, 'endpoint'> & DueEvent['endpoint'] & { seen: number };

export async function claimDeliveries(
  sql: SqlPool,
  workerId: string,
  { count, fullConsumers, room, roomOfOthers }: ClaimLimits,
): Promise<Claimed> {
  const { rows } = await sql.query<Row>({
    name: 'claim-deliveries',
    text: CLAIM,
    values: [workerId, fullConsumers, WINDOW, [...room.keys()], [...room.values()], roomOfOthers, count],
  });
  return {
    due: rows.map(toDueEvent),
    more: rows.length > 0 && (rows.length >= count || (rows[0]?.seen ?? 0) >= WINDOW),
  };
}

/** Releases deliveries that were claimed and not started, or that could not be started (`retryInMs`). */
export async function releaseDeliveries(
  sql: SqlPool,
  workerId: string,
  deliveries: readonly ClaimedDelivery[],
  retryInMs: number | null = null,
): Promise<void> {
  await sql.query(RELEASE, [
    workerId,
    deliveries.map(({ rowId }) => rowId),
    deliveries.map(({ revision }) => revision),
    retryInMs,
  ]);
}

function toDueEvent(row: Row): DueEvent {
  const { webhookUrl, webhookSecretSealed, previousSecretSealed, previousSecretUntil } = row;
  const { rowId, revision, eventId, consumerId, body, attemptCount, dueAt } = row;
  const endpoint = { webhookUrl, webhookSecretSealed, previousSecretSealed, previousSecretUntil };
  return { rowId, revision, eventId, consumerId, body, attemptCount, dueAt, endpoint };
}
