/**
 * The rows of price plans, of a consumer or (without one) of the operator. Items are replaced together with their plan's row, because
 * processes that keep plans in memory are told of changes of that row.
 */
import { inUse, invalidField, notFound } from '@clarion/protocol';
import type { PricePlan, Tx } from '@clarion/db';
import type { PutPriceItem, PutPricePlan } from '@clarion/protocol/v1/price/price-plans';
import { withItems } from './present.ts';
import type { PlanRow } from './present.ts';

/** Of the tenants or accounts that prevent a deletion. */
const NAMED_USERS = 50;

export interface PlanOwner {
  db: Tx;
  /** Null: the operator. */
  consumerId: number | null;
}

/** Oldest first. */
export const plansOf = ({ db, consumerId }: PlanOwner): Promise<PlanRow[]> =>
  db.pricePlan.findMany({ where: { consumerId }, orderBy: { id: 'asc' }, include: withItems });

/** @throws 404 */
export async function planOf({ db, consumerId }: PlanOwner, id: number): Promise<PlanRow> {
  const plan = await db.pricePlan.findFirst({ where: { id, consumerId }, include: withItems });
  if (!plan) throw notFound('The price plan');
  return plan;
}

/** Runs in a transaction. @throws 400 naming the item */
export async function insertPlan(owner: PlanOwner, input: PutPricePlan): Promise<PlanRow> {
  const { name, currency, description, items } = input;
  await assertDecks(owner, input);
  const { id } = await owner.db.pricePlan.create({
    data: { consumerId: owner.consumerId, name, currency, description },
  });
  await insertItems(owner, id, items);
  return planOf(owner, id);
}

/** Runs in a transaction. @throws 404; 400 naming the item, or `currency` while somebody uses the plan */
export async function replacePlan(owner: PlanOwner, id: number, input: PutPricePlan): Promise<PlanRow> {
  const { name, currency, description, items } = input;
  const { db } = owner;
  await lockPlan(owner, id);
  const before = await planOf(owner, id);
  if (currency !== before.currency && before._count.tenants + before._count.accounts > 0) {
    const message = `currency cannot be changed from ${before.currency} while the price plan is in use.`;
    throw invalidField('currency', message);
  }
  await assertDecks(owner, input);
  await db.priceItem.deleteMany({ where: { planId: id } });
  await insertItems(owner, id, items);
  await db.pricePlan.update({ where: { id }, data: { name, currency, description } });
  return planOf(owner, id);
}

/** Runs in a transaction. @throws 404; 409 in_use naming the first tenants or accounts */
export async function removePlan(owner: PlanOwner, id: number): Promise<PricePlan> {
  const { db } = owner;
  await lockPlan(owner, id);
  const plan = await planOf(owner, id);
  const first = { where: { pricePlanId: id }, orderBy: { id: 'asc' }, take: NAMED_USERS } as const;
  const tenants = await db.tenant.findMany({ ...first, select: { ref: true } });
  const accounts = await db.consumer.findMany({ ...first, select: { slug: true } });
  const usedBy = [
    ...tenants.map(({ ref }) => `tenant:${ref}`),
    ...accounts.map(({ slug }) => `account:${slug}`),
  ];
  if (usedBy.length > 0) throw inUse(usedBy);
  await db.pricePlan.delete({ where: { id } });
  return plan;
}

/**
 * A plan about to be assigned: its deletion and a change of its currency wait until the transaction ends. Null if the owner has no such
 * plan.
 */
export async function planToAssign({ db, consumerId }: PlanOwner, id: number): Promise<PricePlan | null> {
  const [plan] = await db.$queryRaw<PricePlan[]>`
    select * from "PricePlan" where "id" = ${id} and coalesce("consumerId", 0) = ${consumerId ?? 0} for share`;
  return plan ?? null;
}

/** Waits for tenants that are being put on the plan; those that come later wait for this change. */
const lockPlan = ({ db, consumerId }: PlanOwner, id: number) => db.$queryRaw`
  select 1 from "PricePlan" where "id" = ${id} and coalesce("consumerId", 0) = ${consumerId ?? 0} for update`;

async function insertItems({ db }: PlanOwner, planId: number, items: PutPriceItem[]): Promise<void> {
  await db.priceItem.createMany({
    data: items.map(({ channel, ...item }, position) => ({
      ...item,
      channelType: channel,
      planId,
      position,
    })),
  });
}

/**
 * The decks must be the owner's, in the plan's currency: nothing is converted. They are locked against deletion and a change of their
 * currency, and not against changes of their prices.
 */
async function assertDecks({ db, consumerId }: PlanOwner, { items, currency }: PutPricePlan): Promise<void> {
  const deckIds = [...new Set(items.flatMap(({ deckId }) => deckId ?? []))];
  if (deckIds.length === 0) return;
  const decks = await db.$queryRaw<{ id: number; currency: string }[]>`
    select "id", "currency" from "RateDeck"
    where "id" = any(${deckIds}) and coalesce("consumerId", 0) = ${consumerId ?? 0}
    order by "id" for key share`;
  for (const [index, { deckId }] of items.entries()) {
    if (deckId === null) continue;
    const field = `items[${index}].deck_id`;
    const deck = decks.find(({ id }) => id === deckId);
    if (!deck) throw invalidField(field, `${field} must be the ID of one of your rate decks.`);
    if (deck.currency !== currency) {
      throw invalidField(
        field,
        `${field}: the rate deck is in ${deck.currency}, but the price plan is in ${currency}.`,
      );
    }
  }
}
