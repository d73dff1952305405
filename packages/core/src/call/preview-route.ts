/** What would happen to an outbound call: the checks of create-call.ts and the prices of its trunks, without a call. */
import { ApiError, invalidField } from '@clarion/protocol';
import { routeRuleCodes } from '@clarion/protocol/v1/price/route-preview';
import type {
  PreviewRoute,
  RoutePreview,
  RoutePriceResource,
} from '@clarion/protocol/v1/price/route-preview';
import type { SipTrunk, Tenant } from '@clarion/db';
import { diallerOf, numbersOn, trunksOf } from '../call-engine/dial-plan.ts';
import type { Dialler } from '../call-engine/dial-plan.ts';
import { noUsableRoute, outboundPricing, routeRules } from '../call-engine/outbound-prices.ts';
import { tenantSuspended, unsupportedChannel } from '../call-engine/outbound-refusals.ts';
import { payingAccounts } from '../call-engine/call-funds.ts';
import { findChannel } from '../channel/channel-of.ts';
import type { ChannelRow } from '../channel/channel-of.ts';
import { tenantOfBody } from '../context.ts';
import type { Ctx } from '../context.ts';
import { readCustomerOn } from '../numbers/customer.ts';
import { destinationRefusal } from '../numbers/destination.ts';
import { readPrices } from '../price-book/read-prices.ts';
import type { ChosenPrice, RoutePrices, TenantPrice } from '../rating/call-pricing.ts';
import { amountOf } from '../rating/millionths.ts';
import { costPerMinute, marginPerMinute, reasonAgainst, usableRoutes } from '../rating/usable-routes.ts';
import type { RouteRules } from '../rating/usable-routes.ts';

/** @throws 400 naming `tenant_ref` or `channel_ref` */
export async function previewRoute(
  ctx: Ctx,
  { tenantRef, channelRef, number: given }: PreviewRoute,
): Promise<RoutePreview> {
  const tenant = await tenantOfBody(ctx, tenantRef);
  const channel = await findChannel(ctx, tenant, channelRef);
  if (!channel) throw invalidField('channel_ref', `channel_ref: the tenant has no channel ${channelRef}.`);
  const dialler = await diallerOf(ctx.db, channel);
  const read = readCustomerOn(channel.type, given, null);
  const number = read.kind === 'ok' ? read.number : null;
  const before = refusedBefore(ctx, tenant, channel, dialler, read);
  if (before !== null || !dialler || read.kind !== 'ok') return previewOf(number, before, []);
  const line = { consumer: ctx.consumer, tenant, channel };
  const book = ctx.prices ?? readPrices;
  const pricing = await outboundPricing(ctx.db, book, line, { dialler, address: read.address }, ctx.now);
  const rules = await routeRules(ctx.db, book, line, await payingAccounts(ctx.db, line));
  const routes = await routesOf(ctx, { channel, dialler, address: read.address }, pricing.routes, rules);
  const isRefused = pricing.routes.length > 0 && usableRoutes(pricing.routes, rules).length === 0;
  return previewOf(number, isRefused ? noUsableRoute(pricing.routes, rules) : null, routes);
}

/** The rules that need no price. */
function refusedBefore(
  { consumer }: Ctx,
  tenant: Tenant,
  channel: ChannelRow,
  dialler: Dialler | null,
  read: ReturnType<typeof readCustomerOn>,
): Refusal | null {
  if (tenant.status === 'SUSPENDED') return tenantSuspended();
  if (channel.status !== 'ACTIVE') return new ApiError('channel_disabled');
  if (!dialler) return unsupportedChannel(channel.type);
  if (read.kind === 'emergency') return new ApiError('emergency_not_supported');
  if (read.kind === 'invalid') return new ApiError('invalid_customer');
  const refusal = read.number === null ? null : destinationRefusal(read.number, consumer);
  return refusal && new ApiError(refusal);
}

/** What `POST …/calls` throws. */
type Refusal = Pick<ApiError, 'code' | 'message'>;

function previewOf(
  number: string | null,
  refusal: Refusal | null,
  routes: RoutePreview['routes'],
): RoutePreview {
  const last = routeRuleCodes.findIndex((code) => code === refusal?.code);
  const checked = last === -1 ? routeRuleCodes : routeRuleCodes.slice(0, last + 1);
  return {
    number,
    rules: checked.map((code) => ({ code, passed: code !== refusal?.code })),
    refusal: refusal && { code: refusal.code, message: refusal.message },
    routes,
  };
}

interface PlacedBy {
  channel: ChannelRow;
  dialler: Dialler;
  address: string;
}

async function routesOf(
  ctx: Ctx,
  { channel, dialler, address }: PlacedBy,
  priced: readonly RoutePrices[],
  rules: RouteRules,
): Promise<RoutePreview['routes']> {
  const present = await pricePresenter(ctx, priced);
  const trunks = dialler.provider === 'WHATSAPP' ? [null] : trunksOf(dialler);
  const all = trunks.map((trunk) => ({
    trunk,
    prices: priced.find(({ trunkId }) => trunkId === (trunk?.id ?? null)) ?? { trunkId: trunk?.id ?? null },
  }));
  const usable = usableRoutes(
    all.map(({ prices }) => prices),
    rules,
  );
  const tried = all
    .filter(({ trunk, prices }) => exclusionOf(trunk, prices, rules) === null)
    .toSorted((a, b) => usable.indexOf(a.prices) - usable.indexOf(b.prices));
  const others = all.filter((route) => !tried.includes(route));
  return [...tried, ...others].map(({ trunk, prices }, index) => {
    const numbers = trunk && numbersOn(trunk, channel, address);
    const cost = costPerMinute(prices);
    const margin = marginPerMinute(prices);
    return {
      trunk: trunk && {
        id: trunk.id,
        name: trunk.name,
        owner: trunk.consumerId === null ? 'PLATFORM' : 'CONSUMER',
        status: trunk.status,
      },
      order: index < tried.length ? index + 1 : null,
      excluded: exclusionOf(trunk, prices, rules),
      called: numbers?.called ?? null,
      caller: numbers?.caller ?? null,
      carrier: present(prices.carrier),
      platform: present(prices.platform),
      tenant: present(prices.tenant),
      costPerMinute: cost && { amount: amountOf(cost.perMinute), currency: cost.currency },
      marginPerMinute: margin && { amount: amountOf(margin.perMinute), currency: margin.currency },
    };
  });
}

const EXCLUDED = { unpriced: 'NO_PRICE', dear: 'RATE_TOO_HIGH', margin: 'MARGIN' } as const;

function exclusionOf(
  trunk: SipTrunk | null,
  prices: RoutePrices,
  rules: RouteRules,
): RoutePreview['routes'][number]['excluded'] {
  const reason = reasonAgainst(prices, rules);
  if (reason !== null) return EXCLUDED[reason];
  return trunk === null || trunk.status === 'ACTIVE' ? null : 'TRUNK_NOT_ACTIVE';
}

/** With the entries of the decks that the prices come from. */
async function pricePresenter({ db }: Ctx, priced: readonly RoutePrices[]) {
  const ids = priced
    .flatMap(({ carrier, platform, tenant }) => [carrier, platform, tenant])
    .flatMap((price) => price?.entryId ?? []);
  const entries =
    ids.length === 0
      ? []
      : await db.rateEntry.findMany({
          where: { id: { in: ids } },
          include: { deck: { select: { name: true } } },
        });
  return (
    price: (ChosenPrice & Partial<Pick<TenantPrice, 'method' | 'markupPercent'>>) | undefined,
  ): RoutePriceResource | null => {
    if (!price) return null;
    const entry = entries.find(({ id }) => id === price.entryId);
    return {
      currency: price.currency,
      ratePerMinute: price.ratePerMinute,
      connectionFee: price.connectionFee,
      initialSeconds: price.initialSeconds,
      incrementSeconds: price.incrementSeconds,
      method: price.method ?? null,
      markupPercent: price.markupPercent ?? null,
      entry: entry
        ? {
            id: entry.id,
            deckId: entry.deckId,
            deckName: entry.deck.name,
            prefix: entry.prefix,
            destination: entry.destination,
          }
        : null,
    };
  };
}
