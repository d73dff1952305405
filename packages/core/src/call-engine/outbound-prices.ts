/** The prices of an outbound call, the trunks that may place it at these prices, and whether the accounts can pay for it. */
import { ApiError } from '@clarion/protocol';
import type { Channel, Consumer, Tenant, Tx } from '@clarion/db';
import { digitsOf } from '../numbers/address-forms.ts';
import { choosePrices } from '../price-book/choose-prices.ts';
import type { PriceBook } from '../price-book/price-book.ts';
import type { CallPricing, RoutePrices } from '../rating/call-pricing.ts';
import { millionthsOf } from '../rating/millionths.ts';
import { reasonAgainst, usableRoutes } from '../rating/usable-routes.ts';
import type { RouteRules } from '../rating/usable-routes.ts';
import { inOrder, trunksOf } from './dial-plan.ts';
import { payingAccounts, requireFunds } from './call-funds.ts';
import type { PayingAccounts } from './call-funds.ts';
import type { Dialler } from './dial-plan.ts';

export interface OutboundLine {
  consumer: Pick<Consumer, 'id' | 'pricePlanId' | 'planMaxRate'>;
  tenant: Pick<Tenant, 'id' | 'pricePlanId'>;
  channel: Pick<Channel, 'type' | 'leastCostRouting' | 'marginGuard'>;
}

export interface PricedDialler {
  /** With the trunks that may be used, in the order in which they are tried. */
  dialler: Dialler;
  pricing: CallPricing;
}

/** @throws 403 destination_not_allowed, rate_too_high if no trunk may place the call; 402 if an account cannot pay for it */
export async function priceOutbound(
  tx: Tx,
  book: PriceBook,
  line: OutboundLine,
  place: { dialler: Dialler; address: string },
  now: Date,
): Promise<PricedDialler> {
  const accounts = await payingAccounts(tx, line);
  const priced = await priceRoutes(tx, book, { line, accounts }, place, now);
  requireFunds(accounts, line, priced.pricing.routes);
  return priced;
}

async function priceRoutes(
  tx: Tx,
  book: PriceBook,
  { line, accounts }: { line: OutboundLine; accounts: PayingAccounts },
  { dialler, address }: { dialler: Dialler; address: string },
  now: Date,
): Promise<PricedDialler> {
  const pricing = await outboundPricing(tx, book, line, { dialler, address }, now);
  if (pricing.routes.length === 0) return { dialler, pricing };
  const rules = await routeRules(tx, book, line, accounts);
  const usable = usableRoutes(pricing.routes, rules);
  if (usable.length === 0) throw noUsableRoute(pricing.routes, rules);
  if (dialler.provider === 'WHATSAPP') return { dialler, pricing };
  const ids = usable.map(({ trunkId }) => trunkId);
  return { dialler: inOrder(dialler, ids), pricing: { ...pricing, routes: usable } };
}

export const outboundPricing = (
  tx: Tx,
  book: PriceBook,
  { consumer, tenant, channel }: OutboundLine,
  { dialler, address }: { dialler: Dialler; address: string },
  now: Date,
): Promise<CallPricing> =>
  choosePrices(
    tx,
    book,
    {
      direction: 'OUTBOUND',
      channelType: channel.type,
      number: digitsOf(address),
      trunks: trunksOf(dialler).map(({ id, consumerId, buyDeckId }) => ({
        id,
        consumerId,
        deckId: buyDeckId,
      })),
      accountPlanId: consumer.pricePlanId,
      tenantPlanId: tenant.pricePlanId,
    },
    now,
  );

export async function routeRules(
  tx: Tx,
  book: PriceBook,
  { consumer, tenant, channel }: OutboundLine,
  accounts: PayingAccounts,
): Promise<RouteRules> {
  const needsTenantPrice = accounts.tenant !== null && tenant.pricePlanId !== null;
  // A call on WhatsApp has no other trunk, and is placed at any price.
  if (channel.type === 'WHATSAPP')
    return { leastCost: false, marginGuard: false, maxRate: null, currency: null, needsTenantPrice };
  const { planMaxRate, pricePlanId } = consumer;
  const plan = planMaxRate === null || pricePlanId === null ? null : await book.plan(tx, pricePlanId);
  return {
    leastCost: channel.leastCostRouting,
    marginGuard: channel.marginGuard,
    maxRate: planMaxRate && millionthsOf(planMaxRate.toFixed()),
    currency: plan?.currency ?? null,
    needsTenantPrice,
  };
}

/** Why no trunk may place the call at its price. */
export function noUsableRoute(routes: readonly RoutePrices[], rules: RouteRules): ApiError {
  if (routes.every((route) => reasonAgainst(route, rules) === 'unpriced'))
    return new ApiError('destination_not_allowed', {
      message: "The tenant's price plan has no price for this destination.",
    });
  const isMargin = routes.some((route) => reasonAgainst(route, rules) === 'margin');
  return new ApiError('rate_too_high', {
    message: isMargin
      ? 'The call would cost more per minute than the tenant pays for it, and the line has a margin guard.'
      : 'The destination costs more per minute than the plan allows.',
  });
}
