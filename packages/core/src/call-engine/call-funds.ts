/** Whether the billing accounts of a tenant and its consumer can pay for an outbound call. What they reserve is decided when the call begins. */
import type { BillingAccount, Consumer, Tenant, Tx } from '@clarion/db';
import { firstBlock, priceFor } from '../ledger/call-credit.ts';
import { accountRefusal, creditRefusal } from '../ledger/outbound-refusal.ts';
import { factsOf } from '../ledger/stored-account.ts';
import type { RoutePrices } from '../rating/call-pricing.ts';

export interface PayingAccounts {
  /** Null: there is none, so nothing is charged to it. */
  tenant: BillingAccount | null;
  consumer: BillingAccount | null;
}

interface Payers {
  consumer: Pick<Consumer, 'id' | 'pricePlanId'>;
  tenant: Pick<Tenant, 'id' | 'pricePlanId'>;
}

export async function payingAccounts(tx: Tx, { consumer, tenant }: Payers): Promise<PayingAccounts> {
  const accounts = await tx.billingAccount.findMany({
    where: { OR: [{ tenantId: tenant.id }, { consumerId: consumer.id, owner: 'CONSUMER' }] },
  });
  const of = (owner: BillingAccount['owner']) => accounts.find((account) => account.owner === owner) ?? null;
  return { tenant: of('TENANT'), consumer: of('CONSUMER') };
}

/**
 * The tenant's account is checked first.
 *
 * @param routes the dearest one must be payable
 * @throws 402
 */
export function requireFunds(
  accounts: PayingAccounts,
  { consumer, tenant }: Payers,
  routes: readonly RoutePrices[],
): void {
  const payers = [
    { owner: 'TENANT', account: accounts.tenant, pays: tenant.pricePlanId !== null },
    { owner: 'CONSUMER', account: accounts.consumer, pays: consumer.pricePlanId !== null },
  ] as const;
  for (const { owner, account, pays } of payers) {
    if (!account) continue;
    const blocks = routes.flatMap((route) => priceFor(owner, route) ?? []).map(firstBlock);
    const dearest = blocks.reduce((most, block) => (block > most ? block : most), 0n);
    const refusal = accountRefusal(factsOf(account), pays ? dearest : null);
    if (refusal !== null) throw creditRefusal(owner, refusal);
  }
}
