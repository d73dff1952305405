/**
 * What is left of the billing of deleted tenants: the accounts with their transactions and invoices, which only the operator reads. They
 * are identified by ID, because a tenant can be created again under the same ref.
 */
import type { BillingAccount, Consumer, Tx } from '@clarion/db';
import { notFound } from '@clarion/protocol';
import type { BillingAccountResource } from '@clarion/protocol/v1/price/tenant-billing';
import { consumerOf } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { presentAccount } from './present.ts';

export interface DeletedTenantAccount extends BillingAccountResource {
  id: number;
  tenantRef: string | null;
  openInvoices: number;
}

const ofDeletedTenants = ({ id }: Pick<Consumer, 'id'>) =>
  ({ consumerId: id, owner: 'TENANT', tenantId: null }) as const;

/** Newest account first. @throws 404 */
export async function listDeletedTenantAccounts(
  ctx: OperatorCtx,
  slug: string,
): Promise<DeletedTenantAccount[]> {
  const rows = await ctx.db.billingAccount.findMany({
    where: ofDeletedTenants(await consumerOf(ctx, slug)),
    include: { _count: { select: { invoices: { where: { status: 'OPEN' } } } } },
    orderBy: { id: 'desc' },
  });
  return rows.map(({ _count, ...row }) => ({
    id: row.id,
    tenantRef: row.tenantRef,
    ...presentAccount(row),
    openInvoices: _count.invoices,
  }));
}

/** @throws 404 */
export async function deletedTenantAccount(
  db: Tx,
  consumer: Pick<Consumer, 'id'>,
  id: number,
): Promise<BillingAccount> {
  const account = await db.billingAccount.findFirst({ where: { ...ofDeletedTenants(consumer), id } });
  if (!account) throw notFound(`The billing account ${id} of a deleted tenant`);
  return account;
}
