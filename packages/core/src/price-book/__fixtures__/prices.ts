/** Rate decks and price plans as rows. */
import type { Database, PricePlan, Prisma, RateDeck } from '@clarion/db';

export interface Entry {
  prefix: string;
  rate: string;
  initialSeconds: number;
  incrementSeconds: number;
  connectionFee: string;
  effectiveFrom: Date;
}

/** In force since the beginning of 2026. */
export const entry = (
  prefix: string,
  rate: string,
  initialSeconds: number,
  incrementSeconds: number,
  connectionFee = '0',
): Entry => ({
  prefix,
  rate,
  initialSeconds,
  incrementSeconds,
  connectionFee,
  effectiveFrom: new Date('2026-01-01'),
});

export const createDeck = (
  db: Database,
  consumerId: number,
  kind: 'BUY' | 'SELL',
  entries: readonly Entry[],
  change: Partial<Prisma.RateDeckUncheckedCreateInput> = {},
): Promise<RateDeck> =>
  db.rateDeck.create({
    data: { consumerId, name: kind, currency: 'USD', kind, ...change, entries: { create: [...entries] } },
  });

export type Item = Partial<Prisma.PriceItemCreateManyPlanInput>;

/** Items are for calls, at a flat rate and in whole minutes, unless they say otherwise. */
export const createPlan = (
  db: Database,
  plan: { consumerId: number | null; name: string; currency: string },
  items: readonly Item[],
): Promise<PricePlan> =>
  db.pricePlan.create({
    data: {
      ...plan,
      items: {
        create: items.map((item, position) => ({
          kind: 'CALL',
          method: 'FLAT',
          initialSeconds: 60,
          incrementSeconds: 60,
          position,
          ...item,
        })),
      },
    },
  });
