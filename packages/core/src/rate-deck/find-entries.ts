/** Queries for the entries of a rate deck. */
import type {
  ListRateEntries,
  LookupRate,
  RateEntryResource,
  RateLookup,
} from '@clarion/protocol/v1/price/rate-entries';
import type { DeckCtx } from './deck-of.ts';
import { chargeOf } from '../rating/charge.ts';
import { amountOf, millionthsOf } from '../rating/millionths.ts';
import { digitsSearched } from '../rating/prefixes.ts';
import { deckOf, entryOf } from './deck-of.ts';
import { entryFilter, entryForNumber } from './entry-filter.ts';
import { entryOrder } from './entry-order.ts';
import { presentEntry } from './present.ts';

interface EntryPage {
  total: number;
  page: number;
  limit: number;
  entries: RateEntryResource[];
  match?: RateEntryResource | null;
}

/** @throws 404 */
export async function listRateEntries(
  ctx: DeckCtx,
  deckId: number,
  { page, limit, sort, ...filters }: ListRateEntries,
): Promise<EntryPage> {
  await deckOf(ctx, deckId);
  const where = entryFilter(deckId, filters, ctx.now);
  const rows = await ctx.db.rateEntry.findMany({
    where,
    orderBy: entryOrder(sort),
    skip: (page - 1) * limit,
    take: limit,
  });
  const total = await ctx.db.rateEntry.count({ where });
  const found = { total, page, limit, entries: rows.map(presentEntry) };
  const digits = filters.search === null ? null : digitsSearched(filters.search);
  if (digits === null) return found;
  const match = await entryForNumber(ctx, deckId, digits);
  return { ...found, match: match && presentEntry(match) };
}

/** @throws 404 */
export async function getRateEntry(ctx: DeckCtx, deckId: number, id: number): Promise<RateEntryResource> {
  return presentEntry(await entryOf(ctx, await deckOf(ctx, deckId), id));
}

/** What a call to the number costs now. @throws 404 */
export async function lookupRate(
  ctx: DeckCtx,
  deckId: number,
  { number, seconds }: LookupRate,
): Promise<RateLookup> {
  await deckOf(ctx, deckId);
  const digits = number.replaceAll(/\D/g, '');
  const entry = await entryForNumber(ctx, deckId, digits);
  if (!entry) return { number: `+${digits}`, entry: null };
  const { billedSeconds, amount } = chargeOf(
    {
      ratePerMinute: millionthsOf(entry.rate.toFixed()),
      connectionFee: millionthsOf(entry.connectionFee.toFixed()),
      initialSeconds: entry.initialSeconds,
      incrementSeconds: entry.incrementSeconds,
    },
    seconds,
  );
  const call = { seconds, billedSeconds, amount: amountOf(amount) };
  return { number: `+${digits}`, entry: presentEntry(entry), call };
}
