import { blockOverdueAccounts } from '@clarion/core/billing/account-standing';
import type { WorkerTask } from './index.ts';

/** Every hour: accounts with overdue invoices are blocked, and later suspended. */
export const blockOverdueAccountsTask: WorkerTask<'block-overdue-accounts'> = async (_, { db, now, log }) => {
  const accounts = await blockOverdueAccounts(db, now());
  if (accounts > 0) log.info({ accounts }, 'blocked or suspended accounts with overdue invoices');
};
