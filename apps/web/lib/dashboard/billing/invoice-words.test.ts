import { expect, test } from 'vitest';
import { invoiceStatus, periodOf } from './invoice-words.ts';

test.each([
  ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', 'January 2026'],
  ['2026-01-01T00:00:00.000Z', '2026-01-20T09:00:00.000Z', '1 Jan 2026 – 20 Jan 2026'],
  ['2026-01-20T09:00:00.000Z', '2026-02-01T00:00:00.000Z', '20 Jan 2026 – 31 Jan 2026'],
])('the period from %s to %s is "%s"', (periodFrom, periodTo, text) => {
  expect(periodOf({ periodFrom, periodTo })).toBe(text);
});

test('an overdue invoice says so instead of being open', () => {
  expect(invoiceStatus({ status: 'OPEN', overdue: false }).label).toBe('Open');
  expect(invoiceStatus({ status: 'OPEN', overdue: true }).label).toBe('Overdue');
});
