import { invoiceMonths } from '@clarion/core/billing/invoice-months';
import { recordDailyUsage } from '@clarion/core/usage/record-daily-usage';
import type { WorkerTask } from './index.ts';

/** Ten minutes past every hour, so that an interrupted run is continued: the invoices of the months that have ended. */
export const invoiceMonthsTask: WorkerTask<'invoice-months'> = async (_, { db, now, operatorName, log }) => {
  // Their last days may not be recorded yet, if this is the first task after an interruption.
  await recordDailyUsage(db, now());
  const invoices = await invoiceMonths({ db, now: now(), operatorName });
  if (invoices > 0) log.info({ invoices }, 'made invoices');
};
