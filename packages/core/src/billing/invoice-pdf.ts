/** Draws an invoice as a PDF file of one page. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InvoiceLineKind } from '@clarion/protocol/v1/price/invoices';
import PDFDocument from 'pdfkit';
import { inMinorUnits } from '../ledger/minor-unit.ts';
import { millionthsOf } from '../rating/millionths.ts';
import type { StoredInvoice } from './invoice-of.ts';

/** Points. */
const MARGIN = 56;
const TEXT_SIZE = 10;
const TITLE_SIZE = 22;
const LINE_GAP = 4;
const ROW_HEIGHT = 22;
const COLUMN_WIDTH = 130;
const LABEL_WIDTH = 110;
const GREY = '#666666';
const BLACK = '#000000';

/** The fonts of PDF have no letters beyond western European ones; DejaVu has Greek, Cyrillic and Arabic ones as well. Only what is used is embedded. */
const fonts = join(dirname(fileURLToPath(import.meta.url)), '../../../../node_modules/dejavu-fonts-ttf/ttf');
const readFonts = async () => ({
  regular: await readFile(join(fonts, 'DejaVuSans.ttf')),
  bold: await readFile(join(fonts, 'DejaVuSans-Bold.ttf')),
});
let loaded: ReturnType<typeof readFonts> | null = null;

const DATE_CHARS = 'YYYY-MM-DD'.length;
/** UTC. */
export const dateOf = (at: Date): string => at.toISOString().slice(0, DATE_CHARS);

const units: Partial<Record<InvoiceLineKind, string>> = {
  CALL: ' min',
  RECORDING: ' min',
  MONTHLY_FEE: ' days',
  STORAGE: ' GB',
};

type Document = InstanceType<typeof PDFDocument>;

export async function drawInvoice(invoice: StoredInvoice): Promise<Buffer<ArrayBuffer>> {
  loaded ??= readFonts();
  const { regular, bold } = await loaded;
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    // Without a first font; the default would be loaded whatever is used.
    font: '',
    info: { Title: `Invoice ${invoice.number}`, ...(invoice.issuedAt && { CreationDate: invoice.issuedAt }) },
  });
  doc.registerFont('regular', regular).registerFont('bold', bold);
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => doc.once('end', resolve).once('error', reject));
  drawHead(doc, invoice);
  drawLines(doc, invoice);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

function drawHead(doc: Document, invoice: StoredInvoice): void {
  const { number, issuerName, customerName, customerRef, issuedAt, dueAt, paidAt } = invoice;
  doc.font('bold').fontSize(TITLE_SIZE).text(`Invoice ${number}`).moveDown();
  doc.fontSize(TEXT_SIZE);
  const facts: [string, string | null][] = [
    ['From', issuerName],
    ['To', customerName],
    ['Customer reference', customerRef],
    ['Issued', issuedAt && dateOf(issuedAt)],
    ['Due', dueAt && dateOf(dueAt)],
    ['Paid', paidAt && dateOf(paidAt)],
    ['Period', `${dateOf(invoice.periodFrom)} to ${dateOf(lastMomentOf(invoice))}`],
  ];
  for (const [label, value] of facts) {
    if (value === null) continue;
    const { y } = doc;
    doc.font('regular').fillColor(GREY).text(label, MARGIN, y, { width: LABEL_WIDTH });
    doc
      .fillColor(BLACK)
      .text(printable(value), MARGIN + LABEL_WIDTH, y)
      .moveDown(LINE_GAP / TEXT_SIZE);
  }
  doc.moveDown();
}

/** The end of a period is the first moment that does not belong to it. */
const lastMomentOf = ({ periodTo }: StoredInvoice): Date => new Date(periodTo.getTime() - 1);

function drawLines(doc: Document, { lines, currency, total }: StoredInvoice): void {
  drawRow(doc, 'bold', ['Description', 'Quantity', `Amount (${currency})`]);
  for (const { kind, description, quantity, amount } of lines) {
    drawRow(doc, 'regular', [description, `${quantity.toFixed()}${units[kind] ?? ''}`, amount.toFixed()]);
  }
  const rounded = inMinorUnits(millionthsOf(total.toFixed()), currency);
  drawRow(doc, 'bold', ['Total', '', `${rounded} ${currency}`]);
}

function drawRow(doc: Document, font: 'regular' | 'bold', cells: [string, string, string]): void {
  const { y } = doc;
  const right = doc.page.width - MARGIN;
  const [description, quantity, amount] = cells;
  const column = { width: COLUMN_WIDTH, align: 'right' } as const;
  doc.font(font).text(description, MARGIN, y);
  doc.text(quantity, right - 2 * COLUMN_WIDTH, y, column);
  doc.text(amount, right - COLUMN_WIDTH, y, column);
  const bottom = y + ROW_HEIGHT - LINE_GAP * 2;
  doc
    .moveTo(MARGIN, bottom)
    .lineTo(right, bottom)
    .strokeColor(GREY)
    .lineWidth(1 / 2)
    .stroke();
  doc.y = y + ROW_HEIGHT;
}

const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ');
