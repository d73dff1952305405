/** The lines and the total of an invoice (docs/decisions/invoices.md). Pure. */
import type { CallDirection } from '@clarion/protocol';
import { usageKinds } from '@clarion/protocol/v1/report/usage';
import type { InvoiceLineKind } from '@clarion/protocol/v1/price/invoices';
import { amountOf } from '../rating/millionths.ts';
import type { Millionths } from '../rating/millionths.ts';
import { roundToMinorUnit } from './minor-unit.ts';

/** The transactions of one kind that an invoice will contain. */
export interface InvoicedGroup {
  kind: InvoiceLineKind;
  /** Of calls. */
  direction: CallDirection | null;
  /** Decimal text, in the unit of the kind. */
  quantity: string;
  /** What is owed for them; below zero: a credit. */
  amount: Millionths;
}

export interface InvoiceLine {
  kind: InvoiceLineKind;
  description: string;
  quantity: string;
  amount: string;
}

export interface InvoiceAmounts {
  lines: InvoiceLine[];
  /** Rounded to the minor unit. */
  total: Millionths;
  /** Added to the balance so that the payment of the total settles the lines exactly. */
  rounding: Millionths;
}

const descriptions: Record<Exclude<InvoiceLineKind, 'CALL'>, string> = {
  RECORDING: 'Recordings',
  MONTHLY_FEE: 'Monthly fee',
  SEAT: 'Agents',
  NUMBER: 'Numbers',
  STORAGE: 'Storage',
  ADJUSTMENT: 'Adjustments',
  OTHER: 'Other charges',
};

function descriptionOf({ kind, direction }: InvoicedGroup): string {
  if (kind !== 'CALL') return descriptions[kind];
  return direction === 'INBOUND' ? 'Inbound calls' : 'Outbound calls';
}

const order: readonly InvoiceLineKind[] = [...usageKinds, 'OTHER', 'ADJUSTMENT'];
const placeOf = ({ kind, direction }: InvoicedGroup): number =>
  order.indexOf(kind) * 2 + (direction === 'INBOUND' ? 1 : 0);

/** Null: there is nothing to pay, so the transactions stay for the next invoice. */
export function invoiceOf(groups: readonly InvoicedGroup[], currency: string): InvoiceAmounts | null {
  const exact = groups.reduce((sum, { amount }) => sum + amount, 0n);
  const total = roundToMinorUnit(exact, currency);
  if (total <= 0n) return null;
  const lines = groups
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((group) => ({
      kind: group.kind,
      description: descriptionOf(group),
      quantity: group.quantity,
      amount: amountOf(group.amount),
    }));
  return { lines, total, rounding: exact - total };
}
