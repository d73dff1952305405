/** Announces balances that charges have made low: top-ups, adjustments and changes of an account announce it themselves. */
import type { Database } from '@clarion/db';
import { retryOnConflict } from '../retry-on-conflict.ts';
import { announceLowBalance } from './announce-low-balance.ts';

/** Accounts per run; the others follow in the next one. */
const BATCH = 500;

/** @returns how many accounts were examined more closely */
export async function announceLowBalances(db: Database, now: Date, batch = BATCH): Promise<number> {
  // The same rule as `isLow` (ledger/low-balance.ts), so that only accounts with something to announce are locked.
  const accounts = await db.$queryRaw<{ id: number }[]>`
    select "id" from "BillingAccount"
    where "tenantId" is not null and not "lowBalanceAnnounced"
      and case "mode" when 'PREPAID' then "balance" * 10 < coalesce("lastTopUp", 0) else -"balance" * 10 > "creditLimit" * 9 end
    order by "id" limit ${batch}`;
  for (const { id } of accounts) {
    await retryOnConflict(db, async (tx) => {
      await tx.$queryRaw`select 1 from "BillingAccount" where "id" = ${id} for no key update`;
      const { tenant, ...account } = await tx.billingAccount.findUniqueOrThrow({
        where: { id },
        include: { tenant: true },
      });
      if (tenant) await announceLowBalance({ db: tx, now }, tenant, account);
    });
  }
  return accounts.length;
}
