/** The invoice of what a POSTPAID account owes until now, made when it becomes PREPAID. */
import type { Ctx } from '../context.ts';
import { startOfMonth } from '../ledger/billing-period.ts';
import { lockCycle } from './billing-cycle.ts';
import type { DueCycle } from './billing-cycle.ts';
import { wholeMonth } from './invoiced-transactions.ts';
import { issueInvoices } from './issue-invoices.ts';

/** @param cycle locked by the transaction, before the account */
export async function issueLastInvoice(
  { db: tx, now, settings }: Pick<Ctx, 'db' | 'now' | 'settings'>,
  cycle: DueCycle,
): Promise<void> {
  let open: DueCycle | null = cycle;
  // The job may not have made the invoices of earlier months yet.
  while (open && open.periodFrom < startOfMonth(now)) {
    await issueInvoices(tx, [wholeMonth(open)], now);
    open = await lockCycle(tx, settings.operatorName, cycle.accountId);
  }
  if (open) await issueInvoices(tx, [{ ...open, periodTo: now, bookedBefore: null }], now);
}
