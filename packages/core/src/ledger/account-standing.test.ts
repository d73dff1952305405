import { expect, test } from 'vitest';
import { dueDateOf, standingOf } from './account-standing.ts';

const dueAt = new Date('2026-01-16T00:10:00.000Z');

test.each([
  ['ACTIVE', '2026-01-01T00:10:00.000Z'],
  ['ACTIVE', '2026-01-16T00:10:00.000Z'],
  ['OUTBOUND_BLOCKED', '2026-01-16T00:10:00.001Z'],
  ['OUTBOUND_BLOCKED', '2026-01-30T00:10:00.000Z'],
  ['SUSPENDED', '2026-01-30T00:10:00.001Z'],
])('an account is %s at %s', (status, now) => {
  expect(standingOf(dueAt, new Date(now))).toBe(status);
});

test('without an open invoice, an account is ACTIVE', () => {
  expect(standingOf(null, dueAt)).toBe('ACTIVE');
});

test('an invoice is due whole days after its issue', () => {
  expect(dueDateOf(new Date('2026-01-01T00:10:00.000Z'), 15)).toEqual(dueAt);
  expect(dueDateOf(dueAt, 0)).toEqual(dueAt);
});
