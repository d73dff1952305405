/** The transactions of a billing account. */
import type { Tx } from '@clarion/db';
import type { ListTransactions, TransactionResource } from '@clarion/protocol/v1/price/tenant-billing';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { accountOf } from './account-of.ts';
import { presentTransaction } from './present.ts';

export interface TransactionPage {
  transactions: TransactionResource[];
  page: number;
  limit: number;
  total: number;
}

/** Those of a tenant's account. @throws 404 */
export async function listTransactions(
  ctx: Ctx,
  tenantRef: string,
  query: ListTransactions,
): Promise<TransactionPage> {
  const { id } = await accountOf(ctx.db, { ...ctx, tenant: await tenantOf(ctx, tenantRef) });
  return transactionsOf(ctx.db, id, query);
}

/** Newest first: by ID, because the account's row is locked when an ID is assigned. */
export async function transactionsOf(
  db: Tx,
  accountId: number,
  { page, limit }: ListTransactions,
): Promise<TransactionPage> {
  const rows = await db.billingTransaction.findMany({
    where: { accountId },
    orderBy: { id: 'desc' },
    skip: (page - 1) * limit,
    take: limit,
  });
  const total = await db.billingTransaction.count({ where: { accountId } });
  return { transactions: rows.map(presentTransaction), page, limit, total };
}
