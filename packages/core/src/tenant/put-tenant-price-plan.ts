/** Puts a tenant on a price plan of the account, or takes it off. Calls that have begun keep the prices of their start. */
import { invalidField } from '@clarion/protocol';
import type { PutTenantPricePlan } from '@clarion/protocol/v1/price/price-plans';
import { lockTenant } from '../channel/lock-tenant.ts';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { planProblem } from '../ledger/account-terms.ts';
import { planToAssign } from '../price-plan/plan-rows.ts';

/** @throws 404; 400 `price_plan_id` */
export async function putTenantPricePlan(
  ctx: Ctx,
  tenantRef: string,
  { pricePlanId }: PutTenantPricePlan,
): Promise<{ tenantRef: string; pricePlanId: number | null }> {
  return inTransaction(ctx, async (inner) => {
    const { db, consumer } = inner;
    const tenant = await lockTenant(inner, tenantRef);
    if (pricePlanId !== null) {
      const plan = await planToAssign({ db, consumerId: consumer.id }, pricePlanId);
      if (!plan) {
        throw invalidField('price_plan_id', 'price_plan_id must be the ID of one of your price plans.');
      }
      const account = await db.billingAccount.findUnique({ where: { tenantId: tenant.id } });
      const problem = planProblem(plan, account, 'tenant');
      if (problem !== null) throw invalidField('price_plan_id', `price_plan_id: ${problem}`);
    }
    await db.tenant.update({ where: { id: tenant.id }, data: { pricePlanId } });
    await audit(inner, {
      action: 'tenant.put_price_plan',
      target: tenantRef,
      tenantId: tenant.id,
      details: { pricePlanId },
    });
    return { tenantRef, pricePlanId };
  });
}
