/**
 * Chooses the prices of a call that begins: for each trunk that it may use, what the carrier, the operator and the consumer charge
 * (docs/requirements.md#prices). With a price book in memory, it costs no statement.
 */
import type { Tx } from '@clarion/db';
import type { CallPricing, ChosenPrice, RoutePrices, TenantPrice } from '../rating/call-pricing.ts';
import { amountOf } from '../rating/millionths.ts';
import { itemFor } from '../rating/price-item.ts';
import type { PricePlan, TrunkOwner, UsageFacts } from '../rating/price-item.ts';
import type { DeckPrice, PriceBook } from './price-book.ts';

export interface PricedTrunk {
  id: number;
  /** Null: a platform trunk. */
  consumerId: number | null;
  /** The BUY deck for the direction of the call; null: none. */
  deckId: number | null;
}

export interface PricedCall {
  direction: 'INBOUND' | 'OUTBOUND';
  channelType: 'WHATSAPP' | 'SIP';
  /** The digits of the number called; null: it is not a telephone number. */
  number: string | null;
  /** Those that the call may use; empty: it needs none. */
  trunks: readonly PricedTrunk[];
  /** The plan of the operator for the account, and of the consumer for the tenant; null: none. */
  accountPlanId: number | null;
  tenantPlanId: number | null;
}

export async function choosePrices(
  tx: Tx,
  book: PriceBook,
  call: PricedCall,
  at: Date,
): Promise<CallPricing> {
  const { number, trunks, accountPlanId, tenantPlanId } = call;
  const priced =
    accountPlanId !== null || tenantPlanId !== null || trunks.some(({ deckId }) => deckId !== null);
  if (!priced) return { number, routes: [] };
  const plans = await plansOf(tx, book, call);
  const find = (deckId: number) => (number === null ? null : book.price(tx, deckId, number, at));
  const { direction, channelType } = call;
  const routes: RoutePrices[] = [];
  for (const trunk of trunks.length === 0 ? [null] : trunks) {
    const trunkOwner = trunk && ownerOf(trunk);
    const deckId = trunkOwner === 'CONSUMER' ? (trunk?.deckId ?? null) : null;
    const facts = { kind: 'CALL', direction, channelType, trunkOwner } as const;
    const prices = await pricesOf(plans, facts, deckId, find);
    const noCarrier = number === null ? 'not_a_number' : 'no_entry';
    const isUnpriced = deckId !== null && !prices.carrier;
    routes.push({ trunkId: trunk?.id ?? null, ...prices, ...(isUnpriced && { noCarrier }) });
  }
  return { number, routes };
}

const ownerOf = (trunk: PricedTrunk): TrunkOwner => (trunk.consumerId === null ? 'PLATFORM' : 'CONSUMER');

export interface Plans {
  /** Of the operator for the account. */
  account: PricePlan | null;
  /** Of the consumer for the tenant. */
  tenant: PricePlan | null;
}

export const plansOf = async (
  tx: Tx,
  book: PriceBook,
  { accountPlanId, tenantPlanId }: Pick<PricedCall, 'accountPlanId' | 'tenantPlanId'>,
): Promise<Plans> => ({
  account: accountPlanId === null ? null : await book.plan(tx, accountPlanId),
  tenant: tenantPlanId === null ? null : await book.plan(tx, tenantPlanId),
});

type FindPrice = (deckId: number) => Promise<DeckPrice | null> | null;
type Prices = Pick<RoutePrices, 'carrier' | 'platform' | 'tenant'>;

/** The prices of a usage that no number selects. */
export const pricesWithoutNumber = (plans: Plans, facts: UsageFacts): Promise<Prices> =>
  pricesOf(plans, facts, null, () => null);

async function pricesOf(
  plans: Plans,
  facts: UsageFacts,
  carrierDeckId: number | null,
  find: FindPrice,
): Promise<Prices> {
  const carrier = carrierDeckId === null ? null : await find(carrierDeckId);
  // The operator's plans have no markups: there is nothing that they could be on.
  const platform = await priceIn(plans.account, facts, null, find);
  // A markup without a deck is on what the usage costs the consumer.
  const tenant = await priceIn(plans.tenant, facts, carrier ? chosen(carrier) : platform, find);
  return {
    ...(carrier && { carrier: chosen(carrier) }),
    ...(platform && { platform: withoutMethod(platform) }),
    ...(tenant && { tenant }),
  };
}

/** Null: the plan has no price for this usage, or one in another currency than its own. */
async function priceIn(
  plan: PricePlan | null,
  facts: UsageFacts,
  cost: ChosenPrice | null,
  find: FindPrice,
): Promise<TenantPrice | null> {
  const item = plan && itemFor(plan.items, facts);
  if (!item) return null;
  const { method, flatRate, deckId, markupPercent, initialSeconds, incrementSeconds } = item;
  const { currency } = plan;
  if (method === 'FLAT') {
    if (flatRate === null) return null;
    const ratePerMinute = amountOf(flatRate);
    return { method, currency, ratePerMinute, connectionFee: '0', initialSeconds, incrementSeconds };
  }
  const found = deckId === null ? null : await find(deckId);
  const base = deckId === null ? cost : found && chosen(found);
  if (!base || base.currency !== currency) return null;
  if (method === 'DECK') return { ...base, method };
  return markupPercent === null ? null : { ...base, method, markupPercent: amountOf(markupPercent) };
}

const withoutMethod = ({ method: _method, ...price }: TenantPrice): ChosenPrice => price;

const chosen = (price: DeckPrice): ChosenPrice => ({
  currency: price.currency,
  ratePerMinute: amountOf(price.ratePerMinute),
  connectionFee: amountOf(price.connectionFee),
  initialSeconds: price.initialSeconds,
  incrementSeconds: price.incrementSeconds,
  entryId: price.entryId,
});
