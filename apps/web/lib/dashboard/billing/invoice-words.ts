/** Words for invoices. Pure. */
import { formatDay, type Tone } from '@clarion/ui';
import type { Invoice } from './resources.ts';

const statuses: Record<Invoice['status'], { label: string; tone: Tone }> = {
  DRAFT: { label: 'Draft', tone: 'neutral' },
  OPEN: { label: 'Open', tone: 'accent' },
  PAID: { label: 'Paid', tone: 'positive' },
  VOID: { label: 'Void', tone: 'neutral' },
};

export const invoiceStatus = ({ status, overdue }: Pick<Invoice, 'status' | 'overdue'>) =>
  overdue ? ({ label: 'Overdue', tone: 'negative' } as const) : statuses[status];

const DAY_CHARS = 'YYYY-MM-DD'.length;
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** "January 2026", or the days of a part of a month, in UTC. The end does not belong to the period. */
export function periodOf({ periodFrom, periodTo }: Pick<Invoice, 'periodFrom' | 'periodTo'>): string {
  const from = new Date(periodFrom);
  const startsMonth = from.getTime() === Date.UTC(from.getUTCFullYear(), from.getUTCMonth());
  const nextMonth = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1);
  if (startsMonth && new Date(periodTo).getTime() === nextMonth) return MONTH.format(from);
  const last = new Date(new Date(periodTo).getTime() - 1).toISOString();
  return `${formatDay(periodFrom.slice(0, DAY_CHARS))} – ${formatDay(last.slice(0, DAY_CHARS))}`;
}
