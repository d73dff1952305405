/** The invoices of the months that have ended, for all POSTPAID accounts: made by a job at the beginning of the month. */
import type { Database } from '@clarion/db';
import { startOfMonth } from '../ledger/billing-period.ts';
import { retryingTransaction } from '../retry-on-conflict.ts';
import { claimDueCycles } from './billing-cycle.ts';
import { wholeMonth } from './invoiced-transactions.ts';
import { issueInvoices } from './issue-invoices.ts';

/** Accounts per transaction. One that is killed or fails leaves its accounts for the next run. */
const BATCH = 200;
/** One account may have millions of transactions. */
const TIMEOUT_MS = 15 * 60_000;

/**
 * Continues where an earlier run ended; a month without a run gets invoices of its own.
 *
 * @returns how many invoices were made
 */
export async function invoiceMonths(
  { db, now, operatorName }: { db: Database; now: Date; operatorName: string },
  batch = BATCH,
): Promise<number> {
  const monthStart = startOfMonth(now);
  for (let made = 0; ;) {
    const done = await retryingTransaction(
      { db },
      async ({ db: tx }) => {
        const due = await claimDueCycles(tx, operatorName, monthStart, batch);
        const cycles = due.map((cycle) => wholeMonth(cycle));
        return { accounts: due.length, invoices: due.length > 0 ? await issueInvoices(tx, cycles, now) : 0 };
      },
      { timeout: TIMEOUT_MS },
    );
    made += done.invoices;
    if (done.accounts === 0) return made;
  }
}
