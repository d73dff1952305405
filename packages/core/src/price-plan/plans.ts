/** The price plans of a consumer: what its tenants pay. */
import type { PricePlanResource, PutPricePlan } from '@clarion/protocol/v1/price/price-plans';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { insertPlan, planOf, plansOf, removePlan, replacePlan } from './plan-rows.ts';
import type { PlanOwner } from './plan-rows.ts';
import { presentPlan } from './present.ts';

const ownerOf = ({ db, consumer }: Ctx): PlanOwner => ({ db, consumerId: consumer.id });

/** Oldest first. */
export async function listPricePlans(ctx: Ctx): Promise<PricePlanResource[]> {
  return (await plansOf(ownerOf(ctx))).map(presentPlan);
}

/** @throws 404 */
export async function getPricePlan(ctx: Ctx, id: number): Promise<PricePlanResource> {
  return presentPlan(await planOf(ownerOf(ctx), id));
}

/** Names need not be unique: a plan is addressed by its ID. @throws 400 naming the item */
export async function createPricePlan(ctx: Ctx, input: PutPricePlan): Promise<PricePlanResource> {
  return inTransaction(ctx, async (inner) => {
    const plan = await insertPlan(ownerOf(inner), input);
    await audit(inner, {
      action: 'price_plan.create',
      target: String(plan.id),
      details: { name: plan.name, items: plan.items.length },
    });
    return presentPlan(plan);
  });
}

/** @throws 404; 400 naming the item, or `currency` while a tenant uses the plan */
export async function putPricePlan(ctx: Ctx, id: number, input: PutPricePlan): Promise<PricePlanResource> {
  return inTransaction(ctx, async (inner) => {
    const plan = await replacePlan(ownerOf(inner), id, input);
    await audit(inner, {
      action: 'price_plan.put',
      target: String(id),
      details: { name: plan.name, items: plan.items.length },
    });
    return presentPlan(plan);
  });
}

/** @throws 404; 409 in_use naming tenants */
export async function deletePricePlan(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { name } = await removePlan(ownerOf(inner), id);
    await audit(inner, { action: 'price_plan.delete', target: String(id), details: { name } });
  });
}
