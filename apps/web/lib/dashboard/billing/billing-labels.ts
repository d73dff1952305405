/** Words for billing accounts. */
import type { Tone } from '@clarion/ui';
import type { BillingAccount, Transaction } from './resources.ts';

export const modes: Record<BillingAccount['mode'], { label: string; meaning: string }> = {
  PREPAID: { label: 'Prepaid', meaning: 'The tenant pays in advance. You add what it has paid as a top-up.' },
  POSTPAID: {
    label: 'Postpaid',
    meaning: 'The tenant pays later, by monthly invoices. A negative balance is what it owes.',
  },
};

export const statuses: Record<BillingAccount['status'], { label: string; tone: Tone }> = {
  ACTIVE: { label: 'Active', tone: 'positive' },
  OUTBOUND_BLOCKED: { label: 'Outbound calls blocked', tone: 'warning' },
  SUSPENDED: { label: 'Suspended', tone: 'negative' },
};

export const transactionKinds: Record<Transaction['kind'], string> = {
  TOP_UP: 'Top-up',
  ADJUSTMENT: 'Adjustment',
  CHARGE: 'Charge',
  INVOICE_PAID: 'Invoice paid',
  ROUNDING: 'Rounding',
};
