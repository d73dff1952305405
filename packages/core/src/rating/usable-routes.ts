/** Which trunks may place a call at their price, and in which order (docs/requirements.md#prices). Pure. */
import { perMinuteOf } from './call-pricing.ts';
import type { ChosenPrice, RoutePrices } from './call-pricing.ts';
import type { Millionths } from './millionths.ts';

export interface RouteRules {
  /** The cheapest trunk first. */
  leastCost: boolean;
  /** No trunk that costs the consumer more per minute than its tenant pays. */
  marginGuard: boolean;
  /** The most that a minute may cost the consumer, in the currency of its price plan; null: no limit. */
  maxRate: Millionths | null;
  /** Of that plan; null: the account has none, so every known price is compared. */
  currency: string | null;
  /** No trunk without a price for the tenant, because its billing account pays for its calls. */
  needsTenantPrice: boolean;
}

/** A sum per currency: prices in different currencies are not compared. */
type Cost = { currency: string; perMinute: Millionths } | null;

/** unpriced: the tenant has no price. dear: a minute costs the consumer more than its plan allows. margin: more than the tenant pays. */
export type Unusable = 'unpriced' | 'dear' | 'margin';

export const reasonAgainst = (route: RoutePrices, rules: RouteRules): Unusable | null => {
  if (rules.needsTenantPrice && !route.tenant) return 'unpriced';
  if (isTooDear(route, rules)) return 'dear';
  return rules.marginGuard && hasLoss(route) ? 'margin' : null;
};

/** The routes that may be used, in the order in which they are tried. */
export function usableRoutes(routes: readonly RoutePrices[], rules: RouteRules): RoutePrices[] {
  const usable = routes.filter((route) => reasonAgainst(route, rules) === null);
  return rules.leastCost ? cheapestFirst(usable) : usable;
}

const costsOf = ({ carrier, platform }: RoutePrices): ChosenPrice[] =>
  [carrier, platform].filter((price) => price !== undefined);

const isTooDear = (route: RoutePrices, { maxRate, currency }: RouteRules): boolean =>
  maxRate !== null &&
  costsOf(route).some(
    (price) => (currency === null || price.currency === currency) && perMinuteOf(price) > maxRate,
  );

/** What a minute costs the consumer. Null: it is not known, or consists of two currencies. */
export function costPerMinute(route: RoutePrices): Cost {
  const [first, second] = costsOf(route);
  if (!first || (second && second.currency !== first.currency)) return null;
  const perMinute = perMinuteOf(first) + (second ? perMinuteOf(second) : 0n);
  return { currency: first.currency, perMinute };
}

/** What a minute earns the consumer. Null: a price is not known, or the currencies differ. */
export function marginPerMinute(route: RoutePrices): Cost {
  const cost = costPerMinute(route);
  if (!cost || route.tenant?.currency !== cost.currency) return null;
  return { currency: cost.currency, perMinute: perMinuteOf(route.tenant) - cost.perMinute };
}

function hasLoss(route: RoutePrices): boolean {
  const margin = marginPerMinute(route);
  return margin !== null && margin.perMinute < 0n;
}

/** A stable order. If a cost is not known, or the currencies differ, the given order stays: there is nothing to compare. */
function cheapestFirst(routes: readonly RoutePrices[]): RoutePrices[] {
  const priced = routes.map((route) => ({ route, cost: costPerMinute(route) }));
  const currency = priced[0]?.cost?.currency;
  if (!priced.every(({ cost }) => cost !== null && cost.currency === currency)) return [...routes];
  return priced
    .toSorted((a, b) => compare(a.cost?.perMinute ?? 0n, b.cost?.perMinute ?? 0n))
    .map(({ route }) => route);
}

const compare = (a: Millionths, b: Millionths): number => (a < b ? -1 : a > b ? 1 : 0);
