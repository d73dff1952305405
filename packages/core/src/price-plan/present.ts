/** Rows of price plans → resources. */
import type { Prisma } from '@clarion/db';
import { trunkOwners } from '@clarion/protocol/v1/report/usage';
import type { PriceItemResource, PricePlanResource } from '@clarion/protocol/v1/price/price-plans';
import { z } from 'zod';

export const withItems = {
  items: { orderBy: { position: 'asc' } },
  _count: { select: { tenants: true, accounts: true } },
} satisfies Prisma.PricePlanInclude;
export type PlanRow = Prisma.PricePlanGetPayload<{ include: typeof withItems }>;

export const presentPlan = (plan: PlanRow): PricePlanResource => ({
  id: plan.id,
  name: plan.name,
  currency: plan.currency,
  description: plan.description,
  items: plan.items.map(presentItem),
  tenants: plan._count.tenants,
  createdAt: plan.createdAt.toISOString(),
  updatedAt: plan.updatedAt.toISOString(),
});

const storedOwner = z.enum(trunkOwners).nullable();

const presentItem = (item: PlanRow['items'][number]): PriceItemResource => ({
  kind: item.kind,
  method: item.method,
  direction: item.direction,
  channel: item.channelType,
  trunkOwner: storedOwner.parse(item.trunkOwner),
  initialSeconds: item.initialSeconds,
  incrementSeconds: item.incrementSeconds,
  flatRate: item.flatRate?.toFixed() ?? null,
  deckId: item.deckId,
  markupPercent: item.markupPercent?.toFixed() ?? null,
});
