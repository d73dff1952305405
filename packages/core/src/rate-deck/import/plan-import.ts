/**
 * What a staged file changes in a deck (docs/requirements.md#prices), as temporary tables of the transaction: an import applies them, and a
 * preview only counts them.
 *
 * `rate_item`: for each prefix of the file, its prices from now on in order: the entry in force, the rows of the file, and the scheduled
 * entries that the file does not replace, in mode CHANGES and of the prefixes in `rate_unread`. A row that equals the price before it
 * changes nothing and is left out. Every price ends when the next one begins. `ownFrom` and `ownTo` are the times of an entry that
 * exists, before the import.
 * `rate_gap`: what rows that begin in the past price before now: only time without any price.
 * `rate_unread`: in mode FULL, the prefixes of rows that could not be read. Their entries stay.
 * `rate_absent`: in mode FULL, the entries that have not ended whose prefix the file lacks.
 */
import type { Tx } from '@clarion/db';
import type { RateImportMode, RateImportPreview } from '@clarion/protocol/v1/price/rate-import-resources';
import { LISTED_ROWS } from './stage-sheet.ts';
import type { SkippedRow, StagedSheet } from './stage-sheet.ts';

export interface PlanInput {
  deckId: number;
  staged: Pick<StagedSheet, 'importId' | 'rows' | 'skipped'>;
  mode: RateImportMode;
  now: Date;
}

export type ImportCounts = Pick<RateImportPreview, 'added' | 'changed' | 'ended' | 'unchanged'>;
export interface ImportPlan extends ImportCounts {
  /** When entries in force end whose prefix the file lacks. */
  endOfAbsent: Date;
  /** Rows that repeat the prefix and date of an earlier row. */
  repeated: number;
  /** The first ones. */
  repeatedRows: SkippedRow[];
}

/** Of each sort and hash table: those of the largest file fit. */
const MEMORY = `set local work_mem = '64MB'`;

const TABLES = [
  `create temp table rate_row on commit drop as
    select s."line", s."prefix", s."destination", s."rate", s."initialSeconds", s."incrementSeconds", s."connectionFee",
      s."effectiveFrom" as "from" from "RateStaging" s with no data`,
  `create temp table rate_item (
    "prefix" text, "at" timestamptz, "order" int, "entryId" int, "line" int, "destination" text, "rate" numeric(18,6),
    "initialSeconds" int, "incrementSeconds" int, "connectionFee" numeric(18,6), "oldRate" numeric(18,6),
    "isKept" boolean, "to" timestamptz, "ownFrom" timestamptz, "ownTo" timestamptz) on commit drop`,
  `create temp table rate_gap ("prefix" text, "line" int, "from" timestamptz, "to" timestamptz) on commit drop`,
  `create temp table rate_unread ("prefix" text) on commit drop`,
  `create temp table rate_absent ("entryId" int, "prefix" text, "rate" numeric(18,6), "isCurrent" boolean) on commit drop`,
];

/** $1: import, $2: now. The first of several rows with the same prefix and date stands. */
const ROWS = `
  insert into rate_row
  select distinct on ("prefix", coalesce("effectiveFrom", $2::timestamptz))
    "line", "prefix", "destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee",
    coalesce("effectiveFrom", $2::timestamptz)
  from "RateStaging" where "importId" = $1::uuid and "rate" is not null
  order by "prefix", coalesce("effectiveFrom", $2::timestamptz), "line"`;

/** $1: import. */
const UNREAD = `
  insert into rate_unread select distinct "prefix" from "RateStaging" where "importId" = $1::uuid and "rate" is null`;

/** Whether a price begins when this entry ends. Otherwise its end was set, and an import that does not price the time after it leaves it. */
const isFollowed = (entry: string): string => `exists (
  select from "RateEntry" n
  where n."deckId" = ${entry}."deckId" and n."prefix" = ${entry}."prefix" and n."effectiveFrom" = ${entry}."effectiveTo")`;

/**
 * The row before decides whether a row of the file changes the price. An end that was set is an item without a rate, unless a row of the
 * file prices the time until then: it goes on.
 * $1: deck, $2: now, $3: whether scheduled entries stay of which the file has no row, $4: of every prefix, or of those in rate_unread.
 */
const ITEMS = `
  insert into rate_item
  with open as (
    select e.* from "RateEntry" e
    where e."deckId" = $1 and (e."effectiveTo" is null or e."effectiveTo" > $2::timestamptz)
      and exists (select from rate_row r where r."prefix" = e."prefix")),
  begun as (
    select distinct on ("prefix") * from rate_row where "from" <= $2::timestamptz order by "prefix", "from" desc),
  item as (
    select "prefix", greatest("effectiveFrom", $2::timestamptz) as "at", 0 as "order", "id" as "entryId", null::int as "line", "destination",
      "rate", "initialSeconds", "incrementSeconds", "connectionFee", "effectiveFrom" as "ownFrom", "effectiveTo" as "ownTo", null::numeric as "oldRate"
    from open where "effectiveFrom" <= $2::timestamptz
    union all
    select "prefix", $2::timestamptz, 1, null, "line", "destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee", null, null, null
    from begun
    union all
    select r."prefix", r."from", 1,
      case when (o."destination", o."rate", o."initialSeconds", o."incrementSeconds", o."connectionFee")
        is not distinct from (r."destination", r."rate", r."initialSeconds", r."incrementSeconds", r."connectionFee") then o."id" end,
      r."line", r."destination", r."rate", r."initialSeconds", r."incrementSeconds", r."connectionFee", o."effectiveFrom",
      o."effectiveTo", o."rate"
    from rate_row r left join open o on o."prefix" = r."prefix" and o."effectiveFrom" = r."from"
    where r."from" > $2::timestamptz
    union all
    select o."prefix", o."effectiveFrom", 0, o."id", null, o."destination", o."rate", o."initialSeconds", o."incrementSeconds",
      o."connectionFee", o."effectiveFrom", o."effectiveTo", null
    from open o
    where $3::boolean and ($4::boolean or exists (select from rate_unread u where u."prefix" = o."prefix"))
      and o."effectiveFrom" > $2::timestamptz
      and not exists (select from rate_row r where r."prefix" = o."prefix" and r."from" = o."effectiveFrom")
    union all
    select o."prefix", o."effectiveTo", 0, null, null, null, null, null, null, null, null, null, null
    from open o
    where o."effectiveTo" is not null and not ${isFollowed('o')}
      and (o."effectiveFrom" <= $2::timestamptz
        or $3::boolean and ($4::boolean or exists (select from rate_unread u where u."prefix" = o."prefix")))
      and not exists (
        select from rate_row r where r."prefix" = o."prefix" and r."from" <= o."effectiveTo"
          and (r."from" >= o."effectiveFrom" or o."effectiveFrom" <= $2::timestamptz))),
  compared as (
    select *, lag("rate") over w as "rateBefore",
      "entryId" is not null or row("destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee")
        is distinct from lag(row("destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee")) over w as "isKept"
    from item window w as (partition by "prefix" order by "at", "order")),
  followed as (
    select *, min("at") filter (where "isKept") over (
      partition by "prefix" order by "at", "order" rows between 1 following and unbounded following) as "next"
    from compared)
  select "prefix", "at", "order", "entryId", "line", "destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee",
    coalesce("oldRate", "rateBefore"), "isKept", case when "isKept" then "next" end,
    "ownFrom", "ownTo"
  from followed where "rate" is not null`;

/** $1: deck, $2: now. */
const GAPS = `
  insert into rate_gap
  with past as (
    select "prefix", "line", "from",
      least(lead("from") over (partition by "prefix" order by "from"), $2::timestamptz) as "until"
    from rate_row where "from" < $2::timestamptz),
  priced as (
    select e."prefix", range_agg(tstzrange(e."effectiveFrom", e."effectiveTo")) as "ranges"
    from "RateEntry" e where e."deckId" = $1 and e."effectiveFrom" < $2::timestamptz
      and exists (select from past p where p."prefix" = e."prefix")
    group by e."prefix")
  select p."prefix", p."line", lower(gap), upper(gap)
  from past p left join priced on priced."prefix" = p."prefix",
    unnest(tstzmultirange(tstzrange(p."from", p."until")) - coalesce(priced."ranges", '{}')) as gap`;

/**
 * An entry that would end when it begins is removed, as one that is scheduled. One whose end was set before that of the others stays.
 * $1: deck, $2: now, $3: when entries in force end.
 */
const ABSENT = `
  insert into rate_absent
  select e."id", e."prefix", e."rate", e."isCurrent"
  from (
    select *, "effectiveFrom" <= $2::timestamptz and "effectiveFrom" < $3::timestamptz as "isCurrent" from "RateEntry" where "deckId" = $1) e
  where (e."effectiveTo" is null or e."effectiveTo" > $2::timestamptz)
    and not exists (select from rate_row r where r."prefix" = e."prefix")
    and not exists (select from rate_unread u where u."prefix" = e."prefix")
    and (e."effectiveTo" is null or not e."isCurrent" or e."effectiveTo" > $3::timestamptz or ${isFollowed('e')})`;

const COUNTS = `
  select i."added" + g."added" as "added", i."changed",
    (select count(*) from rate_absent) + (select count(*) from rate_dropped) as "ended"
  from (
    select count(*) filter (where "oldRate" is null) as "added", count("oldRate") as "changed"
    from rate_item where "line" is not null and "isKept" and "entryId" is null) as i, (
    select count(distinct g."line") as "added" from rate_gap g
    where not exists (select from rate_item i where i."line" = g."line" and i."isKept")) as g`;

/** Scheduled entries of prefixes of the file that neither stay nor are replaced by a row with the same date. $1: deck, $2: now. */
const DROPPED = `
  create temp table rate_dropped on commit drop as
  select e."id" as "entryId", e."prefix", e."rate" from "RateEntry" e where false`;
const FILL_DROPPED = `
  insert into rate_dropped
  select e."id", e."prefix", e."rate" from "RateEntry" e
  where e."deckId" = $1 and e."effectiveFrom" > $2::timestamptz
    and exists (select from rate_row r where r."prefix" = e."prefix")
    and not exists (select from rate_row r where r."prefix" = e."prefix" and r."from" = e."effectiveFrom")
    and not exists (select from rate_item i where i."entryId" = e."id")`;

const REPEATED = `
  select s."line" from "RateStaging" s
  where s."importId" = $1::uuid and s."rate" is not null and not exists (select from rate_row r where r."line" = s."line")
  order by s."line" limit ${LISTED_ROWS}`;

interface CountsRow {
  added: bigint;
  changed: bigint;
  ended: bigint;
}

/** Fills the temporary tables of the open transaction. */
export async function planImport(tx: Tx, { deckId, staged, mode, now }: PlanInput): Promise<ImportPlan> {
  await tx.$executeRawUnsafe(MEMORY);
  for (const table of [...TABLES, DROPPED]) await tx.$executeRawUnsafe(table);
  const rows = await tx.$executeRawUnsafe(ROWS, staged.importId, now);
  const isComplete = mode === 'FULL';
  const hasUnread = isComplete && staged.skipped > 0;
  if (hasUnread) await tx.$executeRawUnsafe(UNREAD, staged.importId);
  // The statements below join hundreds of thousands of rows: without statistics they would be nested loops.
  await tx.$executeRawUnsafe('analyze rate_row, rate_unread');
  await tx.$executeRawUnsafe(ITEMS, deckId, now, !isComplete || hasUnread, !isComplete);
  await tx.$executeRawUnsafe(GAPS, deckId, now);
  await tx.$executeRawUnsafe('analyze rate_item, rate_gap');
  const endOfAbsent = await firstDate(tx, now);
  if (isComplete) await tx.$executeRawUnsafe(ABSENT, deckId, now, endOfAbsent);
  await tx.$executeRawUnsafe(FILL_DROPPED, deckId, now);
  const [counts] = await tx.$queryRawUnsafe<[CountsRow]>(COUNTS);
  const repeated =
    staged.rows > rows ? await tx.$queryRawUnsafe<{ line: number }[]>(REPEATED, staged.importId) : [];
  const [added, changed] = [Number(counts.added), Number(counts.changed)];
  return {
    endOfAbsent,
    added,
    changed,
    ended: Number(counts.ended),
    unchanged: rows - added - changed,
    repeated: staged.rows - rows,
    repeatedRows: repeated.map(({ line }) => ({
      line,
      reason: 'An earlier row has the same prefix and date.',
    })),
  };
}

/** The earliest date of the file, but not before now. */
async function firstDate(tx: Tx, now: Date): Promise<Date> {
  const [row] = await tx.$queryRawUnsafe<[{ at: Date | null }]>(
    'select greatest(min("from"), $1::timestamptz) as "at" from rate_row',
    now,
  );
  return row.at ?? now;
}

const CHANGES = `
  select "prefix", "destination", "change", trim_scale("oldRate")::text as "oldRate", trim_scale("newRate")::text as "newRate", "effectiveFrom"
  from (
    select "line", "prefix", "destination", case when "oldRate" is null then 'ADDED' else 'CHANGED' end as "change", "oldRate",
      "rate" as "newRate", "at" as "effectiveFrom"
    from rate_item where "line" is not null and "isKept" and "entryId" is null
    union all
    select null, "prefix", null, 'ENDED', "rate", null, $1::timestamptz from rate_absent
    union all
    select null, "prefix", null, 'ENDED', "rate", null, $1::timestamptz from rate_dropped) as c
  order by "line" nulls last, "prefix" limit ${LISTED_ROWS}`;

type ChangeRow = Omit<RateImportPreview['changes'][number], 'effectiveFrom'> & { effectiveFrom: Date };

/** The first changes of the plan, in the order of the file. */
export async function firstChanges(
  tx: Tx,
  { endOfAbsent }: ImportPlan,
): Promise<RateImportPreview['changes']> {
  const rows = await tx.$queryRawUnsafe<ChangeRow[]>(CHANGES, endOfAbsent);
  return rows.map((row) => ({ ...row, effectiveFrom: row.effectiveFrom.toISOString() }));
}
