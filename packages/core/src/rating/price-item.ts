/** The items of a price plan, and which of them prices a usage (docs/requirements.md#prices). Pure. */
import type { UsageKind } from '@clarion/protocol/v1/report/usage';
import type { Millionths } from './millionths.ts';
import type { BillingBlocks } from './charge.ts';

export type PriceMethod = 'FLAT' | 'DECK' | 'DECK_MARKUP';
export type TrunkOwner = 'PLATFORM' | 'CONSUMER';

export interface PriceItem extends BillingBlocks {
  kind: UsageKind;
  method: PriceMethod;
  /** Null: any; the same applies to the next two. */
  direction: 'INBOUND' | 'OUTBOUND' | null;
  channelType: 'WHATSAPP' | 'SIP' | null;
  trunkOwner: TrunkOwner | null;
  /** Of FLAT. */
  flatRate: Millionths | null;
  /** Of DECK, and of DECK_MARKUP on a deck. */
  deckId: number | null;
  /** Of DECK_MARKUP, in millionths of a percent. */
  markupPercent: Millionths | null;
}

export interface PricePlan {
  id: number;
  currency: string;
  /** In order. */
  items: readonly PriceItem[];
}

/** What an item is compared with. Null: the usage has no direction, channel or trunk. */
export interface UsageFacts {
  kind: UsageKind;
  direction: 'INBOUND' | 'OUTBOUND' | null;
  channelType: 'WHATSAPP' | 'SIP' | null;
  trunkOwner: TrunkOwner | null;
}

/** The item that names most of direction, channel and trunk owner; of those, the first. Null: none fits. */
export function itemFor(items: readonly PriceItem[], facts: UsageFacts): PriceItem | null {
  let best: PriceItem | null = null;
  for (const item of items) {
    if (item.kind !== facts.kind || !fits(item, facts)) continue;
    if (best === null || named(item) > named(best)) best = item;
  }
  return best;
}

const NARROWED_BY = ['direction', 'channelType', 'trunkOwner'] as const;

const fits = (item: PriceItem, facts: UsageFacts): boolean =>
  NARROWED_BY.every((field) => item[field] === null || item[field] === facts[field]);

const named = (item: PriceItem): number => NARROWED_BY.filter((field) => item[field] !== null).length;
