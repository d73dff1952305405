/** What overdue invoices do to a billing account (docs/decisions/invoices.md). Pure. */
import type { PayingAccount } from './outbound-refusal.ts';

const DAY_MS = 24 * 60 * 60_000;
/** An account is blocked as soon as an invoice is overdue, and suspended after this many more days. */
export const SUSPENDED_AFTER_DAYS = 14;

export const dueDateOf = (issuedAt: Date, invoiceDueDays: number): Date =>
  new Date(issuedAt.getTime() + invoiceDueDays * DAY_MS);

export const isOverdue = (dueAt: Date, now: Date): boolean => dueAt < now;

/** Invoices that were due before this suspend their account. */
export const suspendedIfDueBefore = (now: Date): Date =>
  new Date(now.getTime() - SUSPENDED_AFTER_DAYS * DAY_MS);

/** @param earliestDueAt of the open invoices; null: there is none */
export function standingOf(earliestDueAt: Date | null, now: Date): PayingAccount['status'] {
  if (earliestDueAt === null || !isOverdue(earliestDueAt, now)) return 'ACTIVE';
  return earliestDueAt < suspendedIfDueBefore(now) ? 'SUSPENDED' : 'OUTBOUND_BLOCKED';
}
