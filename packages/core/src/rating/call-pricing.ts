/**
 * The prices with which a call begins, and what it costs when it ends. They are stored with the live call, so amounts are decimal strings.
 * Pure.
 */
import { chargeOf, markedUp } from './charge.ts';
import type { Charge } from './charge.ts';
import { amountOf, millionthsOf } from './millionths.ts';
import type { PriceMethod } from './price-item.ts';

export interface ChosenPrice {
  currency: string;
  ratePerMinute: string;
  connectionFee: string;
  initialSeconds: number;
  incrementSeconds: number;
  /** The entry of a rate deck; absent: a flat rate. */
  entryId?: number;
}

export interface TenantPrice extends ChosenPrice {
  method: PriceMethod;
  /** Percent. */
  markupPercent?: string;
}

/** Why a call has no carrier cost although its trunk has a rate deck. */
export const noCarrierPrices = ['no_entry', 'not_a_number'] as const;
export type NoCarrierPrice = (typeof noCarrierPrices)[number];

/** What a call over one trunk costs. Absent: nothing is charged, or the price is not known. */
export interface RoutePrices {
  /** Null: the call needs no trunk. */
  trunkId: number | null;
  /** What the carrier charges the consumer. */
  carrier?: ChosenPrice;
  noCarrier?: NoCarrierPrice;
  /** What the operator charges the consumer. */
  platform?: ChosenPrice;
  /** What the consumer charges the tenant. */
  tenant?: TenantPrice;
}

export interface CallPricing {
  /** The digits of the number called. Null: it is not a telephone number. */
  number: string | null;
  /** One for each trunk that the call may use. Empty: nothing prices the call. */
  routes: RoutePrices[];
}

/** The columns of a UsageRecord that the end of a call sets. Null: no price. */
export interface CallUsage {
  connectedSeconds: number;
  pricedNumber: string | null;
  billedSeconds: number | null;
  carrierCost: string | null;
  carrierCurrency: string | null;
  carrierEntryId: number | null;
  carrierReason: NoCarrierPrice | null;
  platformCost: string | null;
  platformCurrency: string | null;
  tenantCharge: string | null;
  tenantCurrency: string | null;
  tenantMethod: PriceMethod | null;
  tenantMarkup: string | null;
  tenantEntryId: number | null;
}

/** @param trunkId the trunk that carried the call */
export function usageOfCall(
  pricing: CallPricing,
  trunkId: number | null,
  connectedSeconds: number,
): CallUsage {
  const route = pricing.routes.find((one) => one.trunkId === trunkId);
  return { connectedSeconds, pricedNumber: pricing.number, ...usagePrices(route, connectedSeconds) };
}

/** The amounts of a route's prices for a duration. */
export function usagePrices(
  route: RoutePrices | undefined,
  seconds: number,
): Omit<CallUsage, 'connectedSeconds' | 'pricedNumber'> {
  const carrier = route?.carrier;
  const platform = route?.platform;
  const tenant = route?.tenant;
  const cost = carrier && costOf(carrier, seconds);
  const platformCost = platform && costOf(platform, seconds);
  const charge = tenant && costOf(tenant, seconds);
  return {
    billedSeconds: (charge ?? cost ?? platformCost)?.billedSeconds ?? null,
    carrierCost: cost?.amount ?? null,
    carrierCurrency: carrier?.currency ?? null,
    carrierEntryId: carrier?.entryId ?? null,
    carrierReason: route?.noCarrier ?? null,
    platformCost: platformCost?.amount ?? null,
    platformCurrency: platform?.currency ?? null,
    tenantCharge: charge?.amount ?? null,
    tenantCurrency: tenant?.currency ?? null,
    tenantMethod: tenant?.method ?? null,
    tenantMarkup: tenant?.markupPercent ?? null,
    tenantEntryId: tenant?.entryId ?? null,
  };
}

export function costOf(
  price: ChosenPrice & Pick<TenantPrice, 'markupPercent'>,
  seconds: number,
): { billedSeconds: number; amount: string } {
  const { billedSeconds, amount } = costInMillionths(price, seconds);
  return { billedSeconds, amount: amountOf(amount) };
}

export const costInMillionths = (
  price: ChosenPrice & Pick<TenantPrice, 'markupPercent'>,
  seconds: number,
): Charge =>
  chargeOf(
    {
      ratePerMinute: millionthsOf(price.ratePerMinute),
      connectionFee: millionthsOf(price.connectionFee),
      initialSeconds: price.initialSeconds,
      incrementSeconds: price.incrementSeconds,
    },
    seconds,
    millionthsOf(price.markupPercent ?? '0'),
  );

/** What a minute costs, without the connection fee. */
export const perMinuteOf = (price: ChosenPrice & Pick<TenantPrice, 'markupPercent'>): bigint =>
  markedUp(millionthsOf(price.ratePerMinute), millionthsOf(price.markupPercent ?? '0'));
