/** Records `tenant.balance_low` in the transaction of the change that made the balance low. */
import type { BillingAccount, Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';
import { recordEvent } from '../event/record-event.ts';
import { announcement } from '../ledger/low-balance.ts';
import { factsOf } from '../ledger/stored-account.ts';
import { presentTenant } from '../tenant/present.ts';
import { presentAccount } from './present.ts';

/** Call it after each change of the account, whose row the transaction has locked. */
export async function announceLowBalance(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  tenant: Tenant,
  account: BillingAccount,
): Promise<void> {
  const { announce, announced } = announcement(factsOf(account), account.lowBalanceAnnounced);
  if (announced !== account.lowBalanceAnnounced) {
    await db.$executeRaw`
      update "BillingAccount" set "lowBalanceAnnounced" = ${announced} where "id" = ${account.id}`;
  }
  if (!announce) return;
  await recordEvent(db, {
    type: 'tenant.balance_low',
    data: { tenant: presentTenant(tenant), account: presentAccount(account) },
    consumerId: tenant.consumerId,
    tenant: { id: tenant.id, ref: tenant.ref },
    occurredAt: now,
    now,
  });
}
