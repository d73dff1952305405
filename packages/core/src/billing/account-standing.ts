/** Blocks, suspends and reactivates billing accounts according to their open invoices. */
import type { BillingAccount, Database, Tx } from '@clarion/db';
import { recordEvent } from '../event/record-event.ts';
import { standingOf, suspendedIfDueBefore } from '../ledger/account-standing.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import { presentTenant } from '../tenant/present.ts';
import { lockAccount } from './account-of.ts';
import { presentAccount } from './present.ts';

/** Accounts per query. */
const BATCH = 500;

/** Call it in the transaction that has locked the account. @returns the account with its new status */
export async function updateStanding(tx: Tx, account: BillingAccount, now: Date): Promise<BillingAccount> {
  const { id, consumerId, tenantId } = account;
  const { _min: earliest } = await tx.invoice.aggregate({
    where: { accountId: id, status: 'OPEN' },
    _min: { dueAt: true },
  });
  const status = standingOf(earliest.dueAt, now);
  if (status === account.status) return account;
  const changed = await tx.billingAccount.update({ where: { id }, data: { status } });
  const tenant = tenantId === null ? null : await tx.tenant.findUnique({ where: { id: tenantId } });
  if (status === 'SUSPENDED' && tenant) {
    await recordEvent(tx, {
      type: 'tenant.suspended',
      data: { tenant: presentTenant(tenant), account: presentAccount(changed) },
      consumerId,
      tenant: { id: tenant.id, ref: tenant.ref },
      occurredAt: now,
      now,
    });
  }
  return changed;
}

/** Every account with an overdue invoice gets the status that follows from it. @returns how many were changed */
export async function blockOverdueAccounts(db: Database, now: Date, batch = BATCH): Promise<number> {
  let changed = 0;
  for (let after = 0; ;) {
    const accounts = await overdueAccounts(db, now, after, batch);
    for (const { id, owner } of accounts) {
      const isChanged = await retryOnConflict(db, async (tx) => {
        const account = await lockAccount(tx, id);
        const { status } = await updateStanding(tx, account, now);
        if (status === account.status) return false;
        await tx.auditEntry.create({
          data: {
            consumerId: account.consumerId,
            tenantId: account.tenantId,
            actorKind: 'job',
            actorId: 'block-overdue-accounts',
            surface: 'job',
            action: status === 'SUSPENDED' ? 'billing_account.suspend' : 'billing_account.block',
            target: owner,
            at: now,
          },
        });
        return true;
      });
      if (isChanged) changed += 1;
    }
    const last = accounts.at(-1);
    if (!last || accounts.length < batch) return changed;
    after = last.id;
  }
}

interface OverdueAccount {
  id: number;
  /** The ref of the tenant, or the slug of the consumer. */
  owner: string;
}

/** The same rule as `standingOf` (ledger/account-standing.ts), so that only accounts with something to change are locked. */
const overdueAccounts = (db: Database, now: Date, after: number, batch: number): Promise<OverdueAccount[]> =>
  db.$queryRaw<OverdueAccount[]>`
    select a."id", coalesce(a."tenantRef", o."slug") as "owner"
    from "BillingAccount" a join "Consumer" o on o."id" = a."consumerId" join "Invoice" i on i."accountId" = a."id"
    where i."status" = 'OPEN' and i."dueAt" < ${now} and a."id" > ${after}
    group by a."id", o."id"
    having a."status"::text <> case when min(i."dueAt") < ${suspendedIfDueBefore(now)} then 'SUSPENDED' else 'OUTBOUND_BLOCKED' end
    order by a."id" limit ${batch}`;
