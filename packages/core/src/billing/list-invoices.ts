/** The invoices of a tenant's billing account, and of the consumer's own. */
import type { InvoicePage, ListInvoices } from '@clarion/protocol/v1/price/invoices';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { accountOf } from './account-of.ts';
import { withLines } from './invoice-of.ts';
import { presentInvoice } from './present-invoice.ts';

/** @throws 404 */
export async function listInvoices(ctx: Ctx, tenantRef: string, query: ListInvoices): Promise<InvoicePage> {
  const { id } = await accountOf(ctx.db, { ...ctx, tenant: await tenantOf(ctx, tenantRef) });
  return invoicesOf(ctx, id, query);
}

/** Those that the operator has issued. @throws 404 */
export async function listBillingInvoices(ctx: Ctx, query: ListInvoices): Promise<InvoicePage> {
  const { id } = await accountOf(ctx.db, { ...ctx, tenant: null });
  return invoicesOf(ctx, id, query);
}

/** Newest first: IDs of one account are in the order of issue. */
export async function invoicesOf(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  accountId: number,
  { page, limit }: ListInvoices,
): Promise<InvoicePage> {
  const rows = await db.invoice.findMany({
    where: { accountId },
    include: withLines,
    orderBy: { id: 'desc' },
    skip: (page - 1) * limit,
    take: limit,
  });
  const total = await db.invoice.count({ where: { accountId } });
  return { invoices: rows.map((row) => presentInvoice(row, now)), page, limit, total };
}
