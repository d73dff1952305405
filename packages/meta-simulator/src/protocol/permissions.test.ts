import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GraphError } from './errors.ts';
import {
  assertMayCall,
  connected,
  DAY_MS,
  defaultPermissionLimits as limits,
  grant,
  newPair,
  permissionAt,
  requestPermission,
  unanswered,
  type Pair,
} from './permissions.ts';

const codeOf = (run: () => unknown): number | null => {
  try {
    run();
    return null;
  } catch (error) {
    return (error as GraphError).code;
  }
};

test('at most one request in 24 hours and two in 7 days, for any sequence of requests', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3 * DAY_MS), { maxLength: 40 }), (gaps) => {
      let pair: Pair = newPair;
      let now = 0;
      const allowed: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const within = (ms: number): number => allowed.filter((at) => at > now - ms).length;
        const expected = within(DAY_MS) >= 1 || within(7 * DAY_MS) >= 2 ? 138_009 : null;
        expect(codeOf(() => requestPermission(pair, now, limits))).toBe(expected);
        if (expected !== null) continue;
        pair = requestPermission(pair, now, limits);
        allowed.push(now);
      }
    }),
  );
});

test('a connected call resets the requests', () => {
  const pair = connected(requestPermission(newPair, 0, limits), false, 1);
  expect(codeOf(() => requestPermission(pair, 2, limits))).toBeNull();
});

test('a temporary permission ends after exactly 7 days, a permanent one never', () => {
  const temporary = grant(newPair, false, 0, limits);
  expect(permissionAt(temporary, 7 * DAY_MS - 1).status).toBe('temporary');
  expect(permissionAt(temporary, 7 * DAY_MS).status).toBe('no_permission');
  expect(codeOf(() => assertMayCall(temporary, 7 * DAY_MS, limits))).toBe(138_006);
  expect(permissionAt(grant(newPair, true, 0, limits), 1000 * DAY_MS).status).toBe('permanent');
});

test('the 101st connected call in 24 hours is refused, with the time of the next', () => {
  let pair = grant(newPair, true, 0, limits);
  for (let i = 0; i < limits.connectedCallsPerDay; i += 1) pair = connected(pair, true, 1000 + i);
  expect(codeOf(() => assertMayCall(pair, 2000, limits))).toBe(138_012);
  expect(() => assertMayCall(pair, 2000, limits)).toThrow(
    expect.objectContaining({ details: expect.stringContaining('86401') as string }) as Error,
  );
  expect(codeOf(() => assertMayCall(pair, 1001 + DAY_MS, limits))).toBeNull();
});

test('inbound calls do not count against the limit of outbound calls', () => {
  let pair = grant(newPair, true, 0, limits);
  for (let i = 0; i < 200; i += 1) pair = connected(pair, false, i);
  expect(codeOf(() => assertMayCall(pair, 300, limits))).toBeNull();
});

test('the customer is asked after 2 unanswered calls in a row, and the permission is revoked after 4', () => {
  let pair = grant(newPair, true, 0, limits);
  const outcomes = Array.from({ length: 4 }, () => {
    const result = unanswered(pair, limits);
    pair = result.pair;
    return result.outcome;
  });
  expect(outcomes).toEqual(['nothing', 'reconsider', 'nothing', 'revoked']);
  expect(pair.permission.status).toBe('no_permission');
});
