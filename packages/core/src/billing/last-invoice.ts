/** The invoice of what a POSTPAID account owes until now, made when it becomes PREPAID. */
import type { Tx } from '@clarion/db';
import { startOfMonth } from '../ledger/billing-period.ts';
import { lockCycle } from './billing-cycle.ts';
import type { DueCycle } from './billing-cycle.ts';
import { wholeMonth } from './invoiced-transactions.ts';
import { issueInvoices } from './issue-invoices.ts';

/** @param cycle locked by the transaction, before the account */
export async function issueLastInvoice(tx: Tx, cycle: DueCycle, now: Date): Promise<void> {
  let open: DueCycle | null = cycle;
  // The job may not have made the invoices of earlier months yet.
  while (open && open.periodFrom < startOfMonth(now)) {
    await issueInvoices(tx, [wholeMonth(open)], now);
    open = await lockCycle(tx, cycle.accountId);
  }
  if (open) await issueInvoices(tx, [{ ...open, periodTo: now, bookedBefore: null }], now);
}
