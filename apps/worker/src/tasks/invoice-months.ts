import { invoiceMonths } from '@clarion/core/billing/invoice-months';
import type { WorkerTask } from './index.ts';

/** Ten minutes past every hour, so that an interrupted run is continued: the invoices of the months that have ended. */
export const invoiceMonthsTask: WorkerTask<'invoice-months'> = async (_, { db, now, operatorName, log }) => {
  const invoices = await invoiceMonths({ db, now: now(), operatorName });
  if (invoices > 0) log.info({ invoices }, 'made invoices');
};
