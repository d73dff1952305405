/** An invoice as a PDF or CSV file. */
import { FileAnswer } from '@clarion/protocol/v1/file-answer';
import { PDF } from '@clarion/protocol/v1/price/invoices';
import { CSV } from '@clarion/protocol/v1/price/rate-export';
import type { Ctx } from '../context.ts';
import { csvLine } from '../csv/csv-line.ts';
import { safeText } from '../csv/safe-text.ts';
import { inMinorUnits } from '../ledger/minor-unit.ts';
import { millionthsOf } from '../rating/millionths.ts';
import { ownInvoiceOf, tenantInvoiceOf } from './invoice-of.ts';
import type { StoredInvoice } from './invoice-of.ts';
import { dateOf, drawInvoice } from './invoice-pdf.ts';

/** @throws 404 */
export async function getInvoicePdf(ctx: Ctx, tenantRef: string, invoiceId: number): Promise<FileAnswer> {
  return pdfOf(await tenantInvoiceOf(ctx, tenantRef, invoiceId));
}

/** @throws 404 */
export async function getInvoiceCsv(ctx: Ctx, tenantRef: string, invoiceId: number): Promise<FileAnswer> {
  return csvOf(await tenantInvoiceOf(ctx, tenantRef, invoiceId));
}

/** Of an invoice that the operator has issued. @throws 404 */
export async function getBillingInvoicePdf(ctx: Ctx, invoiceId: number): Promise<FileAnswer> {
  return pdfOf(await ownInvoiceOf(ctx, invoiceId));
}

/** Of an invoice that the operator has issued. @throws 404 */
export async function getBillingInvoiceCsv(ctx: Ctx, invoiceId: number): Promise<FileAnswer> {
  return csvOf(await ownInvoiceOf(ctx, invoiceId));
}

const pdfOf = async (invoice: StoredInvoice): Promise<FileAnswer> =>
  new FileAnswer({
    contentType: PDF,
    fileName: `${invoice.number}.pdf`,
    content: await drawInvoice(invoice),
  });

const csvOf = (invoice: StoredInvoice): FileAnswer =>
  new FileAnswer({
    contentType: CSV,
    fileName: `${invoice.number}.csv`,
    content: linesOf(invoice).map(csvLine).join(''),
  });

const HEADINGS = ['Invoice', 'Period From', 'Period To', 'Description', 'Quantity', 'Amount', 'Currency'];

/** Amounts are numbers in every spreadsheet, also below zero; only texts could be formulas. */
function linesOf({ number, periodFrom, periodTo, currency, total, lines }: StoredInvoice): string[][] {
  const row = (description: string, quantity: string, amount: string) => [
    number,
    dateOf(periodFrom),
    dateOf(periodTo),
    safeText(description),
    quantity,
    amount,
    currency,
  ];
  return [
    HEADINGS,
    ...lines.map((line) => row(line.description, line.quantity.toFixed(), line.amount.toFixed())),
    row('Total', '', inMinorUnits(millionthsOf(total.toFixed()), currency)),
  ];
}
