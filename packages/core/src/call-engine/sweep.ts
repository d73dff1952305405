/**
 * What the periodic work of the realtime nodes finds, in one statement per node and second: deadlines that are near or overdue, ends of
 * wrap-ups and of paid time, queues in which calls wait, and effects that no process is running. All but the node's own deadlines and the effects are read
 * by one node per second: the one whose conditional update of the `Sweep` row succeeds. No node is elected, so none has to be replaced.
 */
import { Prisma, runPrepared } from '@clarion/db';
import type { Database } from '@clarion/db';

/** A second, minus the time by which a node's timer may be early in comparison with the last one. */
const TURN_MS = 900;
/** Between two turns of a cluster: a node that stops is followed by another one after at most this. */
export const LONGEST_TURN_MS = 2_000;
const MOST = 1_000;

export interface Due {
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface Sweep {
  /** Calls by their next deadline: those whose lease the node holds, and in this node's turn those that are overdue. */
  deadlines: Due[];
  /** Agents by the end of their wrap-up. */
  wrapUps: Due[];
  waitingQueueIds: number[];
  /** Calls by the end of the time that their accounts have paid for. */
  credit: Due[];
  /** Whether there are effects that no process is running. */
  effectsDue: boolean;
}

/** The limits are by the clock of the node, which fires the deadlines; turns are by the database's. */
export interface SweepLimits {
  now: Date;
  deadlinesUntil: Date;
  overdueSince: Date;
  wrapUpsUntil: Date;
  creditUntil: Date;
}

interface Row {
  near: Due[] | null;
  overdue: Due[] | null;
  wrapUps: Due[] | null;
  waitingQueueIds: number[] | null;
  credit: Due[] | null;
  effectsDue: boolean;
}

export async function sweep(db: Database, nodeId: string, limits: SweepLimits): Promise<Sweep> {
  const { now, deadlinesUntil, overdueSince, wrapUpsUntil, creditUntil } = limits;
  const [row] = await runPrepared<Row>(
    db,
    Prisma.sql`
    with recursive turn as (${claimTurn('second', TURN_MS)}),
    -- Steps from queue to queue in the index, however many calls wait in each.
    waiting as (
      (select "waitingQueueId" as id from "LiveCall" where "waitingQueueId" is not null and exists (select from turn)
        order by 1 limit 1)
      union all
      select (select l."waitingQueueId" from "LiveCall" l where l."waitingQueueId" > w.id order by 1 limit 1)
      from waiting w where w.id is not null)
    select
      (select json_agg(d) from (${deadlines} where "leaseNodeId" = ${nodeId} and "nextDeadlineAt" <= ${deadlinesUntil}
        order by "nextDeadlineAt" limit ${MOST}) d) as "near",
      (select json_agg(d) from (${deadlines} where "nextDeadlineAt" <= ${overdueSince} and exists (select from turn)
        order by "nextDeadlineAt" limit ${MOST}) d) as "overdue",
      (select json_agg(d) from (
        select "id", (extract(epoch from "wrapUpUntil") * 1000)::float8 as "at" from "Agent"
        where "wrapUpUntil" <= ${wrapUpsUntil} and exists (select from turn)
        order by "wrapUpUntil" limit ${MOST}) d) as "wrapUps",
      (select json_agg(id) from waiting where id is not null) as "waitingQueueIds",
      (select json_agg(d) from (
        select "callId" as "id", (extract(epoch from "paidUntil") * 1000)::float8 as "at" from "CreditReservation"
        where "paidUntil" <= ${creditUntil} and exists (select from turn)
        order by "paidUntil" limit ${MOST}) d) as "credit",
      exists (select from "EngineOutbox" where "claimedUntil" is null)
        or exists (select from "EngineOutbox" where "claimedUntil" < ${now}) as "effectsDue"`,
  );
  return {
    deadlines: [...(row?.near ?? []), ...(row?.overdue ?? [])],
    wrapUps: row?.wrapUps ?? [],
    waitingQueueIds: row?.waitingQueueIds ?? [],
    credit: row?.credit ?? [],
    effectsDue: row?.effectsDue ?? false,
  };
}

const deadlines = Prisma.sql`
  select "callId" as "id", (extract(epoch from "nextDeadlineAt") * 1000)::float8 as "at" from "LiveCall"`;

/** Returns a row if it is this node's turn. A node that comes too early reads one row and writes nothing. */
export const claimTurn = (name: 'second' | 'cluster', everyMs: number): Prisma.Sql => Prisma.sql`
  update "Sweep" set "claimedAt" = clock_timestamp()
  where "name" = ${name} and "claimedAt" <= clock_timestamp() - make_interval(secs => ${everyMs / 1000})
  returning 1`;

/** The rows of `claimTurn`, and that of the lease of the trunks. */
export async function createSweepRows(db: Database): Promise<void> {
  const names = ['second', 'cluster', 'trunks'];
  await db.sweep.createMany({ data: names.map((name) => ({ name })), skipDuplicates: true });
}
