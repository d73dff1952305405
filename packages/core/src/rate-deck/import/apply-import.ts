/**
 * Applies a planned import. A trigger rejects prices that overlap after any of the statements: first entries are removed and shortened,
 * then extended, then the new ones are inserted.
 */
import type { Tx } from '@clarion/db';
import type { ImportPlan, PlanInput } from './plan-import.ts';

/** Scheduled entries that the file drops or replaces, and an entry that would end when it begins. $1: deck, $2: now. */
const REMOVE = [
  `delete from "RateEntry" e using rate_dropped d where e."id" = d."entryId"`,
  `delete from "RateEntry" e using rate_absent a where e."id" = a."entryId" and not a."isCurrent"`,
  `delete from "RateEntry" e using rate_item i where e."id" = i."entryId" and i."isKept" and i."to" <= i."ownFrom"`,
];
const REPLACED = `
  delete from "RateEntry" e using rate_item i
  where e."deckId" = $1 and e."effectiveFrom" > $2::timestamptz and i."prefix" = e."prefix" and i."at" = e."effectiveFrom"
    and i."line" is not null and (i."entryId" is null or i."entryId" <> e."id")`;
/** $1: when they end. */
const END_ABSENT = `
  update "RateEntry" e set "effectiveTo" = $1::timestamptz from rate_absent a where e."id" = a."entryId" and a."isCurrent"`;
const CHANGE_ENDS = `
  update "RateEntry" e set "effectiveTo" = i."to" from rate_item i
  where e."id" = i."entryId" and i."isKept" and i."ownTo" is distinct from i."to"`;
/** A price that begins now, and before that fills time without a price, is one entry. $1: deck, $2: now. */
const INSERT_ITEMS = `
  insert into "RateEntry" ("deckId", "prefix", "destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee",
    "effectiveFrom", "effectiveTo")
  select $1, i."prefix", i."destination", i."rate", i."initialSeconds", i."incrementSeconds", i."connectionFee",
    coalesce(g."from", i."at"), i."to"
  from rate_item i left join rate_gap g on g."line" = i."line" and g."to" = i."at"
  where i."isKept" and i."entryId" is null`;
const INSERT_GAPS = `
  insert into "RateEntry" ("deckId", "prefix", "destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee",
    "effectiveFrom", "effectiveTo")
  select $1, r."prefix", r."destination", r."rate", r."initialSeconds", r."incrementSeconds", r."connectionFee", g."from", g."to"
  from rate_gap g join rate_row r on r."line" = g."line"
  where not exists (
    select from rate_item i where i."line" = g."line" and i."isKept" and i."entryId" is null and i."at" = g."to")`;

export async function applyImport(
  tx: Tx,
  { deckId, now }: PlanInput,
  { endOfAbsent }: ImportPlan,
): Promise<void> {
  for (const statement of REMOVE) await tx.$executeRawUnsafe(statement);
  await tx.$executeRawUnsafe(REPLACED, deckId, now);
  await tx.$executeRawUnsafe(END_ABSENT, endOfAbsent);
  await tx.$executeRawUnsafe(CHANGE_ENDS);
  await tx.$executeRawUnsafe(INSERT_ITEMS, deckId);
  await tx.$executeRawUnsafe(INSERT_GAPS, deckId);
}
