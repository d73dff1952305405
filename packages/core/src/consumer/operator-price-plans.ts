/** The operator's price plans: what accounts pay. */
import type { PricePlanResource, PutPricePlan } from '@clarion/protocol/v1/price/price-plans';
import { auditAsOperator } from './operator.ts';
import type { OperatorCtx } from './operator.ts';
import { inTransaction } from '../context.ts';
import type { AuditedChange } from '../context.ts';
import { insertPlan, planOf, plansOf, removePlan, replacePlan } from '../price-plan/plan-rows.ts';
import type { PlanOwner } from '../price-plan/plan-rows.ts';
import { presentPlan } from '../price-plan/present.ts';
import type { PlanRow } from '../price-plan/present.ts';

/** Like a consumer's, with the number of accounts that pay it instead of that of tenants. */
export type OperatorPlan = Omit<PricePlanResource, 'tenants'> & { accounts: number };

export const presentOperatorPlan = (row: PlanRow): OperatorPlan => {
  const { tenants: _, ...plan } = presentPlan(row);
  return { ...plan, accounts: row._count.accounts };
};

const ownerOf = ({ db }: OperatorCtx): PlanOwner => ({ db, consumerId: null });

/** Oldest first. */
export async function listOperatorPlans(ctx: OperatorCtx): Promise<OperatorPlan[]> {
  return (await plansOf(ownerOf(ctx))).map(presentOperatorPlan);
}

/** @throws 404 */
export async function getOperatorPlan(ctx: OperatorCtx, id: number): Promise<OperatorPlan> {
  return presentOperatorPlan(await planOf(ownerOf(ctx), id));
}

/** @throws 400 naming the item */
export async function createOperatorPlan(ctx: OperatorCtx, input: PutPricePlan): Promise<OperatorPlan> {
  return inTransaction(ctx, async (inner) => {
    const plan = await insertPlan(ownerOf(inner), input);
    await record(inner, 'price_plan.create', plan);
    return presentOperatorPlan(plan);
  });
}

/** @throws 404; 400 naming the item, or `currency` while an account uses the plan */
export async function putOperatorPlan(
  ctx: OperatorCtx,
  id: number,
  input: PutPricePlan,
): Promise<OperatorPlan> {
  return inTransaction(ctx, async (inner) => {
    const plan = await replacePlan(ownerOf(inner), id, input);
    await record(inner, 'price_plan.put', plan);
    return presentOperatorPlan(plan);
  });
}

/** @throws 404; 409 in_use naming accounts */
export async function deleteOperatorPlan(ctx: OperatorCtx, id: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    await record(inner, 'price_plan.delete', await removePlan(ownerOf(inner), id));
  });
}

const record = (
  ctx: OperatorCtx,
  action: AuditedChange['action'],
  { id, name }: { id: number; name: string },
): Promise<void> => auditAsOperator(ctx, null, { action, target: String(id), details: { name } });
