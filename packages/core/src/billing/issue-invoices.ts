/**
 * Makes the invoices of several accounts in the caller's transaction, which has locked their cycles. The statements are the same for one account
 * and for many, and only sums leave the database. Balances are changed last, so that the charges of calls wait for milliseconds.
 */
import type { Tx } from '@clarion/db';
import { dueDateOf } from '../ledger/account-standing.ts';
import { invoiceOf } from '../ledger/invoice.ts';
import type { InvoiceAmounts } from '../ledger/invoice.ts';
import { amountOf, millionthsOf } from '../rating/millionths.ts';
import { bookEach } from './book.ts';
import { takeNumbers } from './invoice-numbers.ts';
import { assignTransactions, endPeriods, readGroups } from './invoiced-transactions.ts';
import type { Assignment, ClosingCycle } from './invoiced-transactions.ts';

interface NewInvoice extends Omit<Assignment, 'invoiceId'> {
  amounts: InvoiceAmounts;
}

interface StoredInvoice extends NewInvoice, Assignment {
  number: string;
}

/** Ends the periods, with an invoice where there is something to pay. @returns how many invoices that makes */
export async function issueInvoices(tx: Tx, cycles: readonly ClosingCycle[], now: Date): Promise<number> {
  const invoices = await newInvoices(tx, cycles);
  if (invoices.length > 0) {
    const stored = await store(tx, invoices, now);
    await assignTransactions(tx, stored);
    await bookRoundings(tx, stored, now);
  }
  await endPeriods(tx, cycles);
  return invoices.length;
}

async function newInvoices(tx: Tx, cycles: readonly ClosingCycle[]): Promise<NewInvoice[]> {
  const rows = Map.groupBy(await readGroups(tx, cycles), ({ accountId }) => accountId);
  return cycles.flatMap((cycle) => {
    const groups = rows.get(cycle.accountId) ?? [];
    const amounts = invoiceOf(
      groups.map((group) => ({ ...group, amount: millionthsOf(group.amount) })),
      cycle.currency,
    );
    const lastTransactionId = Math.max(...groups.map((group) => group.lastTransactionId));
    return amounts ? [{ cycle, amounts, lastTransactionId }] : [];
  });
}

async function store(tx: Tx, invoices: readonly NewInvoice[], now: Date): Promise<StoredInvoice[]> {
  const numbers = await takeNumbers(
    tx,
    invoices.map(({ cycle }) => cycle),
  );
  const rows = await tx.invoice.createManyAndReturn({
    data: invoices.map(({ cycle, amounts }, index) => ({
      consumerId: cycle.consumerId,
      accountId: cycle.accountId,
      number: numbers[index] ?? '',
      status: 'OPEN' as const,
      currency: cycle.currency,
      periodFrom: cycle.periodFrom,
      periodTo: cycle.periodTo,
      total: amountOf(amounts.total),
      issuerName: cycle.issuerName,
      customerName: cycle.customerName,
      customerRef: cycle.customerRef,
      issuedAt: now,
      dueAt: dueDateOf(now, cycle.invoiceDueDays),
    })),
    select: { id: true, accountId: true, number: true },
  });
  const byAccount = new Map(rows.map((row) => [row.accountId, row]));
  const stored = invoices.map((invoice): StoredInvoice => {
    const row = byAccount.get(invoice.cycle.accountId);
    if (!row) throw new Error(`the invoice of account ${invoice.cycle.accountId} was not stored`);
    return { ...invoice, invoiceId: row.id, number: row.number };
  });
  await tx.invoiceLine.createMany({
    data: stored.flatMap(({ invoiceId, amounts }) =>
      amounts.lines.map((line, position) => ({ invoiceId, position, ...line })),
    ),
  });
  return stored;
}

async function bookRoundings(tx: Tx, invoices: readonly StoredInvoice[], now: Date): Promise<void> {
  const roundings = invoices
    .filter(({ amounts }) => amounts.rounding !== 0n)
    .map(({ cycle, amounts, invoiceId, number }) => ({
      accountId: cycle.accountId,
      kind: 'ROUNDING' as const,
      amount: amountOf(amounts.rounding),
      source: `rounding:${invoiceId}`,
      description: `Rounding of invoice ${number}`,
      invoiceId,
    }));
  if (roundings.length > 0) await bookEach(tx, roundings, now);
}
