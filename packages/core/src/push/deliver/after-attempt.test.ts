import { expect, test } from 'vitest';
import { MAX_PUSH_ATTEMPTS, outcomeOf } from './after-attempt.ts';

test('a result decides the status, and only an answer that may change later is retried', () => {
  expect(outcomeOf({ outcome: 'sent', httpStatus: 200 }, 0)).toEqual({
    status: 'SENT',
    retryInMs: null,
    httpStatus: 200,
    reason: null,
  });
  expect(outcomeOf({ outcome: 'rejected', httpStatus: 410, reason: 'Unregistered' }, 0)).toEqual({
    status: 'REJECTED',
    retryInMs: null,
    httpStatus: 410,
    reason: 'Unregistered',
  });
  expect(outcomeOf({ outcome: 'failed', httpStatus: 403, reason: 'InvalidProviderToken' }, 0)).toMatchObject({
    status: 'FAILED',
    retryInMs: null,
  });
});

test('retries wait longer each time, as long as the provider asks, and end', () => {
  const busy = { outcome: 'retry', httpStatus: 503, reason: 'UNAVAILABLE' } as const;
  const waits = Array.from({ length: MAX_PUSH_ATTEMPTS }, (_, made) => outcomeOf(busy, made).retryInMs);
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, null]);
  expect(outcomeOf({ ...busy, retryAfterMs: 7_000 }, 0).retryInMs).toBe(7_000);
  expect(outcomeOf({ ...busy, retryAfterMs: 100 }, 0).retryInMs).toBe(500);
});

test('a reason can be stored, whatever the provider answered', () => {
  const result = { outcome: 'failed', httpStatus: 400, reason: `a\0${'b'.repeat(500)}` } as const;
  expect(outcomeOf(result, 0).reason).toBe(`a${'b'.repeat(199)}`);
});
