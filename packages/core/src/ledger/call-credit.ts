/**
 * What is reserved on billing accounts for a call (docs/guides/billing.md): its first block when it begins, more while it lasts, until the account
 * cannot pay for another block. Pure.
 */
import { costInMillionths } from '../rating/call-pricing.ts';
import type { CallPricing, ChosenPrice, RoutePrices, TenantPrice } from '../rating/call-pricing.ts';
import { amountOf } from '../rating/millionths.ts';
import type { Millionths } from '../rating/millionths.ts';

export type BillingOwner = 'TENANT' | 'CONSUMER';

/** By account; absent: it does not pay for the call. */
export type FirstBlocks = Partial<Record<BillingOwner, { amount: string; currency: string }>>;
/** By account: how many seconds the first block lasts. Absent: the call costs it nothing. */
export type FirstSeconds = Partial<Record<BillingOwner, number>>;

/** A call is extended when it is paid for less than this. */
export const EXTEND_AHEAD_MS = 10_000;
/** Extensions reserve at least this much more than has passed, so that a minute costs few statements and little credit is idle. */
const SLICE_SECONDS = 60;
/** The shortest call that is charged: its connection fee and first block. */
const SHORTEST_CALL_SECONDS = 1;
const MS_PER_SECOND = 1000;

type Price = ChosenPrice & Pick<TenantPrice, 'markupPercent'>;

export const priceFor = (owner: BillingOwner, route: RoutePrices | undefined): Price | undefined =>
  owner === 'TENANT' ? route?.tenant : route?.platform;

/** What the first block costs on the dearest of the routes. A price of zero pays for nothing. */
export function firstBlocks({ routes }: CallPricing): FirstBlocks {
  const of = (owner: BillingOwner): FirstBlocks => {
    const prices = routes.map((route) => priceFor(owner, route)).filter((price) => price !== undefined);
    const [first] = prices;
    if (!first || prices.every(isFree)) return {};
    const dearest = prices.map(firstBlock).reduce((most, block) => (block > most ? block : most), 0n);
    return { [owner]: { amount: amountOf(dearest), currency: first.currency } };
  };
  return { ...of('TENANT'), ...of('CONSUMER') };
}

export const firstBlock = (price: Price): Millionths => costOfSeconds(price, SHORTEST_CALL_SECONDS);

const isFree = (price: Price): boolean => costOfSeconds(price, SLICE_SECONDS * SLICE_SECONDS) === 0n;

/** What the customer's answer starts, on the trunk that carries the call. */
export function firstSeconds({ routes }: CallPricing, trunkId: number | null): FirstSeconds {
  const route = routes.find((one) => one.trunkId === trunkId);
  const of = (owner: BillingOwner): FirstSeconds => {
    const price = priceFor(owner, route);
    return price ? { [owner]: price.initialSeconds } : {};
  };
  return { ...of('TENANT'), ...of('CONSUMER') };
}

/** Whether a first block may end before the periodic extension finds the call. */
export const needsExtensionAtOnce = ({ routes }: CallPricing, sweepMs: number): boolean =>
  routes.some(({ tenant, platform }) =>
    [tenant, platform].some(
      (price) => price && price.initialSeconds * MS_PER_SECOND < EXTEND_AHEAD_MS + sweepMs,
    ),
  );

export interface Reservation {
  callId: number;
  accountId: number;
  price: Price;
  amount: Millionths;
  paidSeconds: number;
  /** Milliseconds since the epoch. */
  paidUntil: number;
}

export interface Extension {
  callId: number;
  accountId: number;
  /** Paid seconds before and after. */
  from: number;
  to: number;
  /** What is reserved in total from then on. */
  amount: Millionths;
}

/**
 * Extends each reservation that is paid for EXTEND_AHEAD_MS or less, by whole blocks and as far as the account can pay: until SLICE_SECONDS from now,
 * or by one block if that lasts longer. Holds on one account take turns in the given order.
 *
 * @param available by account; null: without limit
 */
export function planExtensions(
  reservations: readonly Reservation[],
  available: ReadonlyMap<number, Millionths | null>,
  now: number,
): Extension[] {
  const left = new Map(available);
  return reservations.flatMap((reservation) => {
    const { callId, accountId, price, amount, paidSeconds: from, paidUntil } = reservation;
    if (paidUntil - now > EXTEND_AHEAD_MS) return [];
    const credit = left.get(accountId) ?? null;
    const to = payableSeconds(reservation, credit, wantedSeconds(reservation, now));
    if (to === from) return [];
    const total = costOfSeconds(price, to);
    // A first block that was reserved at the price of a dearer trunk pays for more.
    const reserved = total > amount ? total : amount;
    if (credit !== null) left.set(accountId, credit - (reserved - amount));
    return [{ callId, accountId, from, to, amount: reserved }];
  });
}

/** In whole blocks after the paid ones. */
function wantedSeconds({ price, paidSeconds, paidUntil }: Reservation, now: number): number {
  const passed = paidSeconds + (now - paidUntil) / MS_PER_SECOND;
  const blocks = Math.ceil((passed + SLICE_SECONDS - paidSeconds) / price.incrementSeconds);
  return paidSeconds + Math.max(1, blocks) * price.incrementSeconds;
}

/** The most whole blocks, at most `wanted`, whose cost the credit covers; found by bisection, because the cost only rises. */
function payableSeconds(
  { price, amount, paidSeconds }: Reservation,
  credit: Millionths | null,
  wanted: number,
): number {
  const { incrementSeconds } = price;
  const most = credit === null ? null : amount + (credit > 0n ? credit : 0n);
  const isPayable = (blocks: number) =>
    most === null || costOfSeconds(price, paidSeconds + blocks * incrementSeconds) <= most;
  let blocks = 0;
  let tooMany = (wanted - paidSeconds) / incrementSeconds + 1;
  while (tooMany - blocks > 1) {
    const middle = Math.floor((blocks + tooMany) / 2);
    if (isPayable(middle)) blocks = middle;
    else tooMany = middle;
  }
  return paidSeconds + blocks * incrementSeconds;
}

const costOfSeconds = (price: Price, seconds: number): Millionths => costInMillionths(price, seconds).amount;
