/** Finds an invoice of a billing account, with its lines. */
import { notFound } from '@clarion/protocol';
import type { Prisma } from '@clarion/db';
import type { Ctx } from '../context.ts';
import { tenantOf } from '../context.ts';
import { accountOf } from './account-of.ts';

export const withLines = { lines: { orderBy: { position: 'asc' } } } as const satisfies Prisma.InvoiceInclude;
export type StoredInvoice = Prisma.InvoiceGetPayload<{ include: typeof withLines }>;

/** @throws 404 */
export async function invoiceOf(
  { db }: Pick<Ctx, 'db'>,
  accountId: number,
  invoiceId: number,
): Promise<StoredInvoice> {
  const invoice = await db.invoice.findUnique({
    where: { id: invoiceId, accountId },
    include: withLines,
  });
  if (!invoice) throw notFound('The invoice');
  return invoice;
}

/** @throws 404 */
export async function tenantInvoiceOf(
  ctx: Ctx,
  tenantRef: string,
  invoiceId: number,
): Promise<StoredInvoice> {
  const { id } = await accountOf(ctx.db, { ...ctx, tenant: await tenantOf(ctx, tenantRef) });
  return invoiceOf(ctx, id, invoiceId);
}

/** Of the consumer's own account. @throws 404 */
export async function ownInvoiceOf(ctx: Ctx, invoiceId: number): Promise<StoredInvoice> {
  const { id } = await accountOf(ctx.db, { ...ctx, tenant: null });
  return invoiceOf(ctx, id, invoiceId);
}
