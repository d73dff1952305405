/** Which entries a list, an export or a look-up concerns. */
import type { Prisma, RateEntry } from '@clarion/db';
import type { RateEntryFilters, RateEntryStatus } from '@clarion/protocol/v1/price/rate-entries';
import type { DeckCtx } from './deck-of.ts';
import { digitsSearched, prefixesOf, prefixRange } from '../rating/prefixes.ts';

/** Entries in force and scheduled ones. */
export const notEnded = (now: Date): Prisma.RateEntryWhereInput => ({
  OR: [{ effectiveTo: null }, { effectiveTo: { gt: now } }],
});
export const inForce = (now: Date): Prisma.RateEntryWhereInput => ({
  effectiveFrom: { lte: now },
  ...notEnded(now),
});

const byStatus: Record<RateEntryStatus, (now: Date) => Prisma.RateEntryWhereInput> = {
  CURRENT: inForce,
  SCHEDULED: (now) => ({ effectiveFrom: { gt: now } }),
  ENDED: (now) => ({ effectiveTo: { lte: now } }),
};

export function entryFilter(
  deckId: number,
  { search, status, minRate, maxRate }: RateEntryFilters,
  now: Date,
): Prisma.RateEntryWhereInput {
  return {
    deckId,
    AND: [
      status === null ? notEnded(now) : byStatus[status](now),
      search === null ? {} : matching(search),
      {
        rate: { ...(minRate !== null && { gte: minRate }), ...(maxRate !== null && { lte: maxRate }) },
      },
    ],
  };
}

/** A number matches the entries that price it and those with longer prefixes; another text a part of the destination. */
function matching(search: string): Prisma.RateEntryWhereInput {
  const digits = digitsSearched(search);
  if (digits === null) {
    const text = search.replaceAll(/[\\%_]/g, String.raw`\$&`);
    return { destination: { contains: text, mode: 'insensitive' } };
  }
  const { from, to } = prefixRange(digits);
  return { OR: [{ prefix: { in: prefixesOf(digits) } }, { prefix: { gte: from, lte: to } }] };
}

/** The entry in force that prices a number: the one with the longest prefix. */
export async function entryForNumber(
  { db, now }: DeckCtx,
  deckId: number,
  digits: string,
): Promise<RateEntry | null> {
  const entries = await db.rateEntry.findMany({
    where: { deckId, prefix: { in: prefixesOf(digits) }, ...inForce(now) },
  });
  const [longest] = entries.toSorted((a, b) => b.prefix.length - a.prefix.length);
  return longest ?? null;
}
