import { expect, test } from 'vitest';
import { statusOf } from './entry-status.ts';

const NOW = Date.parse('2026-01-06T10:00:00.000Z');
const before = '2026-01-05T00:00:00.000Z';
const now = '2026-01-06T10:00:00.000Z';
const after = '2026-02-01T00:00:00.000Z';

test.each([
  [before, null, 'CURRENT'],
  [now, null, 'CURRENT'],
  ['2026-01-06T10:00:30.000Z', null, 'CURRENT'],
  [before, after, 'CURRENT'],
  [after, null, 'SCHEDULED'],
  [before, now, 'ENDED'],
] as const)('a price from %s to %s is %s', (effectiveFrom, effectiveTo, status) => {
  expect(statusOf({ effectiveFrom, effectiveTo }, NOW)).toBe(status);
});
