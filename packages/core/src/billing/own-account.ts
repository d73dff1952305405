/** A consumer's own billing account, as it may read it: only the operator changes it. */
import type { Consumer, Tx } from '@clarion/db';
import type { AccountBilling } from '@clarion/protocol/v1/price/account-billing';
import type { ListTransactions } from '@clarion/protocol/v1/price/tenant-billing';
import type { Ctx } from '../context.ts';
import { isLow } from '../ledger/low-balance.ts';
import { factsOf } from '../ledger/stored-account.ts';
import { accountOf, findAccount } from './account-of.ts';
import { transactionsOf } from './list-transactions.ts';
import type { TransactionPage } from './list-transactions.ts';
import { presentAccount } from './present.ts';

export async function getBilling({ db, consumer }: Ctx): Promise<AccountBilling> {
  // The consumer of a request may come from a cache.
  return billingOf(db, await db.consumer.findUniqueOrThrow({ where: { id: consumer.id } }));
}

export async function billingOf(db: Tx, consumer: Consumer): Promise<AccountBilling> {
  const account = await findAccount(db, { consumer, tenant: null });
  return {
    pricePlanId: consumer.pricePlanId,
    account: account && presentAccount(account),
    lowBalance: account !== null && isLow(factsOf(account)),
  };
}

/** @throws 404 */
export async function listBillingTransactions(
  { db, consumer }: Ctx,
  query: ListTransactions,
): Promise<TransactionPage> {
  const { id } = await accountOf(db, { consumer, tenant: null });
  return transactionsOf(db, id, query);
}
