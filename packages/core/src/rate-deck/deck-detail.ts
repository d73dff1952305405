/** A rate deck with its statistics and the log of its imports and changes. */
import type { RateDeckDetail, RateDeckStats } from '@clarion/protocol/v1/price/rate-decks';
import { SHOWN_IMPORTS } from '@clarion/protocol/v1/price/rate-decks';
import type { DeckCtx } from './deck-of.ts';
import { deckOf } from './deck-of.ts';
import { usageOfDeck } from './deck-usage.ts';
import { presentDeck, presentImport } from './present.ts';

/** @throws 404 */
export async function getRateDeck(ctx: DeckCtx, id: number): Promise<RateDeckDetail> {
  const deck = await deckOf(ctx, id);
  const imports = await ctx.db.rateImport.findMany({
    where: { deckId: id },
    orderBy: { id: 'desc' },
    take: SHOWN_IMPORTS,
  });
  return {
    deck: presentDeck(deck),
    stats: await statsOf(ctx, id),
    usage: await usageOfDeck(ctx, id),
    imports: imports.map(presentImport),
  };
}

type StatsRow = Omit<RateDeckStats, 'nextChange'> & { nextChange: Date | null };

/** One pass over the entries that have not ended. `trim_scale` gives the shortest form of an amount. */
async function statsOf({ db, now }: DeckCtx, deckId: number): Promise<RateDeckStats> {
  const [row] = await db.$queryRaw<[StatsRow]>`
    select
      count(*) filter (where "isCurrent")::int as "rowsInForce",
      count(distinct "destination") filter (where "isCurrent")::int as "destinations",
      trim_scale(min("rate") filter (where "isCurrent"))::text as "minRate",
      trim_scale(max("rate") filter (where "isCurrent"))::text as "maxRate",
      trim_scale(round(avg("rate") filter (where "isCurrent"), 6))::text as "avgRate",
      count(*) filter (where not "isCurrent")::int as "scheduled",
      least(min("effectiveFrom") filter (where not "isCurrent"), min("effectiveTo")) as "nextChange"
    from (
      select *, "effectiveFrom" <= ${now} as "isCurrent" from "RateEntry"
      where "deckId" = ${deckId} and ("effectiveTo" is null or "effectiveTo" > ${now})) as e`;
  return { ...row, nextChange: row.nextChange?.toISOString() ?? null };
}
