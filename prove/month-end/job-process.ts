/** A worker process that runs the job of the month end once. Its parent may kill it. */
import { invoiceMonths } from '@clarion/core/billing/invoice-months';
import { createDatabase } from '@clarion/db';
import { RUN_AT } from './month.ts';

const KILOBYTES_PER_MEGABYTE = 1024;

const [, , url = '', batch = ''] = process.argv;
const db = createDatabase(url, { connections: 2 });
process.send?.('started');
const invoices = await invoiceMonths(
  { db, now: RUN_AT, operatorName: 'Operator' },
  batch === '' ? undefined : Number(batch),
);
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / KILOBYTES_PER_MEGABYTE);
process.send?.({ invoices, peakMegabytes });
await db.$disconnect();
process.disconnect();
