/** The payment of an invoice: the whole total. A part of it is an adjustment. A retry with the same Idempotency-Key books nothing. */
import { ApiError } from '@clarion/protocol';
import type { BillingAccount } from '@clarion/db';
import type { InvoiceResource } from '@clarion/protocol/v1/price/invoices';
import { lockTenant } from '../channel/lock-tenant.ts';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { accountOf, lockAccount } from './account-of.ts';
import type { AccountOwner } from './account-of.ts';
import { updateStanding } from './account-standing.ts';
import { announceLowBalance } from './announce-low-balance.ts';
import { book } from './book.ts';
import { invoiceOf } from './invoice-of.ts';
import type { StoredInvoice } from './invoice-of.ts';
import { presentInvoice } from './present-invoice.ts';
import type { ChangeCtx } from './record-change.ts';

/** @throws 404; 409 not_open */
export async function markInvoicePaid(
  ctx: Ctx,
  tenantRef: string,
  invoiceId: number,
): Promise<InvoiceResource> {
  return inTransaction(ctx, async (inner) =>
    payAndRecord(inner, { ...inner, tenant: await lockTenant(inner, tenantRef) }, invoiceId),
  );
}

/** In the caller's transaction, which has locked the owner. @throws 404; 409 not_open */
export async function payAndRecord(
  ctx: ChangeCtx,
  owner: AccountOwner,
  invoiceId: number,
): Promise<InvoiceResource> {
  const { consumer, tenant } = owner;
  const { id } = await accountOf(ctx.db, owner);
  const { account, invoice } = await payInvoice(ctx, id, invoiceId);
  if (tenant) await announceLowBalance(ctx, tenant, account);
  await audit(
    { ...ctx, consumer },
    {
      action: 'invoice.mark_paid',
      target: invoice.number,
      ...(tenant && { tenantId: tenant.id }),
      details: { total: invoice.total.toFixed(), currency: invoice.currency },
    },
  );
  return presentInvoice(invoice, ctx.now);
}

/**
 * Of any account, in the caller's transaction. The account is locked, so of two payments at once the second finds the invoice paid.
 *
 * @throws 404; 409 not_open
 */
export async function payInvoice(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  accountId: number,
  invoiceId: number,
): Promise<{ account: BillingAccount; invoice: StoredInvoice }> {
  await lockAccount(db, accountId);
  const open = await invoiceOf({ db }, accountId, invoiceId);
  if (open.status !== 'OPEN') throw new ApiError('not_open');
  const account = await book(
    db,
    accountId,
    {
      kind: 'INVOICE_PAID',
      amount: open.total.toFixed(),
      source: `invoice:${invoiceId}`,
      description: `Invoice ${open.number}`,
      invoiceId,
    },
    now,
  );
  if (!account)
    throw new Error(`the payment of invoice ${invoiceId} would make a balance that cannot be stored`);
  await db.invoice.update({ where: { id: invoiceId }, data: { status: 'PAID', paidAt: now } });
  return {
    account: await updateStanding(db, account, now),
    invoice: { ...open, status: 'PAID', paidAt: now },
  };
}
