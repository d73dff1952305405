/** Whether the tenant's billing account can pay for an outbound call. */
import { ApiError } from '@clarion/protocol';
import type { Tenant, Tx } from '@clarion/db';
import { accountRefusal } from '../ledger/outbound-refusal.ts';
import { factsOf } from '../ledger/stored-account.ts';
import { costOf } from '../rating/call-pricing.ts';
import type { RoutePrices } from '../rating/call-pricing.ts';
import { millionthsOf } from '../rating/millionths.ts';
import { tenantSuspended } from './outbound-refusals.ts';

/** The shortest call that is charged: its connection fee and first billing block. */
const SHORTEST_CALL_SECONDS = 1;

/**
 * A tenant without an account or plan is not charged.
 *
 * @param routes the dearest one must be payable
 * @throws 402 tenant_suspended, tenant_outbound_blocked, tenant_insufficient_balance
 */
export async function requireTenantFunds(
  tx: Tx,
  tenant: Pick<Tenant, 'id' | 'pricePlanId'>,
  routes: readonly RoutePrices[],
): Promise<void> {
  const account = await tx.billingAccount.findUnique({ where: { tenantId: tenant.id } });
  if (account === null) return;
  const blocks = routes.flatMap(({ tenant: price }) =>
    price ? [millionthsOf(costOf(price, SHORTEST_CALL_SECONDS).amount)] : [],
  );
  const dearest = blocks.reduce((most, block) => (block > most ? block : most), 0n);
  const refusal = accountRefusal(factsOf(account), tenant.pricePlanId === null ? null : dearest);
  if (refusal === null) return;
  if (refusal === 'suspended') throw tenantSuspended('The billing account of the tenant is suspended.');
  throw new ApiError(`tenant_${refusal}`);
}
