/** What follows each change of a billing account, in its transaction: the audit entry and, for a tenant, the event of a low balance. */
import type { BillingAccount } from '@clarion/db';
import { audit } from '../context.ts';
import type { AuditedChange, Ctx } from '../context.ts';
import type { AccountOwner } from './account-of.ts';
import { announceLowBalance } from './announce-low-balance.ts';

/** The consumer is that of the owner. */
export type ChangeCtx = Pick<Ctx, 'db' | 'now' | 'actor' | 'surface'>;

/**
 * Without the balance in `details`: the audit log can be read without the owner role, which billing needs. The operator's change of a
 * consumer's own account has actions of its own, because a target of `billing_account` is a tenant.
 */
export async function recordChange(
  ctx: ChangeCtx,
  { consumer, tenant }: AccountOwner,
  account: BillingAccount,
  change: 'put' | 'top_up' | 'adjust',
  details: AuditedChange['details'] & object,
): Promise<void> {
  if (tenant === null) {
    await audit(
      { ...ctx, consumer },
      { action: `account_billing.${change}`, target: consumer.slug, details },
    );
    return;
  }
  await announceLowBalance(ctx, tenant, account);
  await audit(
    { ...ctx, consumer },
    { action: `billing_account.${change}`, target: tenant.ref, tenantId: tenant.id, details },
  );
}
