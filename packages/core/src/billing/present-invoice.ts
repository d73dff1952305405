/** Row of an invoice → resource. */
import type { InvoiceResource } from '@clarion/protocol/v1/price/invoices';
import { isOverdue } from '../ledger/account-standing.ts';
import type { StoredInvoice } from './invoice-of.ts';

export const presentInvoice = (invoice: StoredInvoice, now: Date): InvoiceResource => ({
  id: invoice.id,
  number: invoice.number,
  status: invoice.status,
  overdue: invoice.status === 'OPEN' && invoice.dueAt !== null && isOverdue(invoice.dueAt, now),
  currency: invoice.currency,
  periodFrom: invoice.periodFrom.toISOString(),
  periodTo: invoice.periodTo.toISOString(),
  total: invoice.total.toFixed(),
  lines: invoice.lines.map(({ kind, description, quantity, amount }) => ({
    kind,
    description,
    quantity: quantity.toFixed(),
    amount: amount.toFixed(),
  })),
  issuedAt: invoice.issuedAt?.toISOString() ?? null,
  dueAt: invoice.dueAt?.toISOString() ?? null,
  paidAt: invoice.paidAt?.toISOString() ?? null,
});
