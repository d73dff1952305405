/** What would happen to an outbound call: the checks of create-call.ts and the prices of its trunks, without a call. */
import { ApiError, invalidField } from '@clarion/protocol';
import { routeRuleCodes } from '@clarion/protocol/v1/price/route-preview';
import type {
  PreviewRoute,
  RoutePreview,
  RoutePriceResource,
  RouteRuleCode,
} from '@clarion/protocol/v1/price/route-preview';
import type { SipTrunk, Tenant } from '@clarion/db';
import { diallerOf, numbersOn, trunksOf } from '../call-engine/dial-plan.ts';
import type { Dialler } from '../call-engine/dial-plan.ts';
import { outboundPricing, routeRules } from '../call-engine/outbound-prices.ts';
import { findChannel } from '../channel/channel-of.ts';
import type { ChannelRow } from '../channel/channel-of.ts';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { readCustomerOn } from '../numbers/customer.ts';
import { destinationRefusal } from '../numbers/destination.ts';
import { readPrices } from '../price-book/read-prices.ts';
import type { ChosenPrice, RoutePrices, TenantPrice } from '../rating/call-pricing.ts';
import { amountOf } from '../rating/millionths.ts';
import { costPerMinute, marginPerMinute, reasonAgainst, usableRoutes } from '../rating/usable-routes.ts';
import type { RouteRules } from '../rating/usable-routes.ts';

/** @throws 404 for an unknown tenant, 400 naming `channel_ref` */
export async function previewRoute(
  ctx: Ctx,
  { tenantRef, channelRef, number: given }: PreviewRoute,
): Promise<RoutePreview> {
  const tenant = await tenantOf(ctx, tenantRef);
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
  const rules = await routeRules(ctx.db, book, line);
  const routes = await routesOf(ctx, { channel, dialler, address: read.address }, pricing.routes, rules);
  const isPriced = pricing.routes.length > 0;
  const tooHigh = isPriced && usableRoutes(pricing.routes, rules).length === 0;
  return previewOf(number, tooHigh ? 'rate_too_high' : null, routes);
}

/** The rules that need no price. */
function refusedBefore(
  { consumer }: Ctx,
  tenant: Tenant,
  channel: ChannelRow,
  dialler: Dialler | null,
  read: ReturnType<typeof readCustomerOn>,
): RouteRuleCode | null {
  if (tenant.status === 'SUSPENDED') return 'tenant_suspended';
  if (channel.status !== 'ACTIVE') return 'channel_disabled';
  if (!dialler) return 'unsupported_channel';
  if (read.kind === 'emergency') return 'emergency_not_supported';
  if (read.kind === 'invalid') return 'invalid_customer';
  return read.number === null ? null : destinationRefusal(read.number, consumer);
}

function previewOf(
  number: string | null,
  refused: RouteRuleCode | null,
  routes: RoutePreview['routes'],
): RoutePreview {
  const last = refused === null ? routeRuleCodes.length : routeRuleCodes.indexOf(refused) + 1;
  return {
    number,
    rules: routeRuleCodes.slice(0, last).map((code) => ({ code, passed: code !== refused })),
    refusal: refused && { code: refused, message: new ApiError(refused).message },
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
  const rank = ({ prices }: (typeof all)[number]) => {
    const place = usable.indexOf(prices);
    return place === -1 ? usable.length : place;
  };
  let tried = 0;
  return all
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ trunk, prices }) => {
      const excluded = exclusionOf(trunk, prices, rules);
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
        order: excluded === null ? (tried += 1) : null,
        excluded,
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

function exclusionOf(
  trunk: SipTrunk | null,
  prices: RoutePrices,
  rules: RouteRules,
): RoutePreview['routes'][number]['excluded'] {
  const reason = reasonAgainst(prices, rules);
  if (reason !== null) return reason === 'dear' ? 'RATE_TOO_HIGH' : 'MARGIN';
  return trunk && trunk.status !== 'ACTIVE' ? 'TRUNK_NOT_ACTIVE' : null;
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
