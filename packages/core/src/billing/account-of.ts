/** Finds billing accounts. A tenant that was created again under the ref of a deleted one has none. */
import { notFound } from '@clarion/protocol';
import type { ApiError } from '@clarion/protocol';
import type { BillingAccount, Consumer, Tenant, Tx } from '@clarion/db';

/** Whose account it is: of a tenant, which owes its consumer; without a tenant of the consumer itself, which owes the operator. */
export interface AccountOwner {
  consumer: Pick<Consumer, 'id' | 'slug' | 'pricePlanId'>;
  tenant: Tenant | null;
}

export const findAccount = (db: Tx, { consumer, tenant }: AccountOwner): Promise<BillingAccount | null> =>
  tenant
    ? db.billingAccount.findUnique({ where: { tenantId: tenant.id } })
    : db.billingAccount.findFirst({ where: { consumerId: consumer.id, owner: 'CONSUMER' } });

/** @throws 404 */
export async function accountOf(db: Tx, owner: AccountOwner): Promise<BillingAccount> {
  const account = await findAccount(db, owner);
  if (!account) throw noAccount(owner);
  return account;
}

export const noAccount = ({ consumer, tenant }: AccountOwner): ApiError =>
  notFound(`The billing account of ${tenant?.ref ?? consumer.slug}`);

/** Charges do not lock the owner of the account; with its row locked, the balance stays as it is read until the transaction ends. */
export async function lockAccount(tx: Tx, id: number): Promise<BillingAccount> {
  await tx.$queryRaw`select 1 from "BillingAccount" where "id" = ${id} for no key update`;
  return tx.billingAccount.findUniqueOrThrow({ where: { id } });
}
