import { announceLowBalances } from '@clarion/core/billing/announce-low-balances';
import type { WorkerTask } from './index.ts';

/** Every minute: `tenant.balance_low` of balances that charges have made low. */
export const announceLowBalancesTask: WorkerTask<'announce-low-balances'> = async (_, { db, now, log }) => {
  const accounts = await announceLowBalances(db, now());
  if (accounts > 0) log.info({ accounts }, 'announced low balances');
};
