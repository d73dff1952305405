/** The transactions of a tenant's billing account. */
import type { ListTransactions, TransactionResource } from '@clarion/protocol/v1/price/tenant-billing';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { accountOf } from './account-of.ts';
import { presentTransaction } from './present.ts';

interface TransactionPage {
  transactions: TransactionResource[];
  page: number;
  limit: number;
  total: number;
}

/** Newest first: by ID, because the account's row is locked when an ID is assigned. @throws 404 */
export async function listTransactions(
  ctx: Ctx,
  tenantRef: string,
  { page, limit }: ListTransactions,
): Promise<TransactionPage> {
  const { id: accountId } = await accountOf(ctx, await tenantOf(ctx, tenantRef));
  const rows = await ctx.db.billingTransaction.findMany({
    where: { accountId },
    orderBy: { id: 'desc' },
    skip: (page - 1) * limit,
    take: limit,
  });
  const total = await ctx.db.billingTransaction.count({ where: { accountId } });
  return { transactions: rows.map(presentTransaction), page, limit, total };
}
