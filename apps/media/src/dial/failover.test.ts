import fc from 'fast-check';
import type { LegEnd } from '@clarion/protocol/media';
import { failureCodes } from '@clarion/protocol';
import { describe, expect, test } from 'vitest';
import { afterFailure, type Next } from './failover.ts';

const rejected = (sipStatus: number, change: Partial<LegEnd> = {}): LegEnd => ({
  cause: 'rejected',
  sipStatus,
  sipReason: null,
  q850: null,
  provisional: false,
  message: '',
  ...change,
});

describe('after a rejection', () => {
  test.each([486, 600, 603, 604, 606, 607, 608, 484, 480, 487, 488, 410, 482, 400, 423])(
    '%i ends the call',
    (status) => expect(afterFailure(rejected(status))).toBe('final'),
  );
  test.each([408, 500, 501, 502, 503, 504, 513, 580])('%i leads to the next destination', (status) =>
    expect(afterFailure(rejected(status))).toBe('destination'),
  );
  test.each([401, 402, 403, 404, 407])('%i leads to the next trunk', (status) =>
    expect(afterFailure(rejected(status))).toBe('trunk'),
  );
  test.each<[number, number, Next]>([
    [404, 1, 'final'],
    [404, 3, 'trunk'],
    [403, 21, 'final'],
    [403, 57, 'trunk'],
    [503, 17, 'final'],
    [503, 19, 'final'],
    [503, 34, 'destination'],
    [500, 41, 'destination'],
  ])('%i with the Q.850 cause %i: %s', (status, q850, next) =>
    expect(afterFailure(rejected(status, { q850 }))).toBe(next),
  );
  test('a redirect that is not followed leads to the next trunk', () =>
    expect(afterFailure(rejected(302, { reason: 'redirect_not_followed' }))).toBe('trunk'));
});

test.each([
  'carrier_no_response',
  'carrier_unreachable',
  'host_not_found',
  'host_private',
  'tls_certificate',
] as const)('without a response (%s) the next destination is tried', (reason) => {
  expect(afterFailure({ ...rejected(0), cause: 'unreachable', sipStatus: null, reason })).toBe('destination');
});

test('a trunk that has reached its calls per second is left for the next trunk', () => {
  const end = { ...rejected(0), cause: 'unreachable', sipStatus: null, reason: 'trunk_rate_limit' } as const;
  expect(afterFailure(end)).toBe('trunk');
});

test('nobody is rung twice: after a provisional response, a cause of the called person, 486 or 6xx nothing is tried', () => {
  const end = fc.record({
    cause: fc.constantFrom('rejected', 'unreachable', 'no-answer-local', 'local', 'media-error'),
    sipStatus: fc.option(fc.integer({ min: 300, max: 699 })),
    sipReason: fc.constant(null),
    q850: fc.option(fc.integer({ min: 1, max: 127 })),
    provisional: fc.boolean(),
    message: fc.constant(''),
    reason: fc.option(fc.constantFrom(...failureCodes), { nil: undefined }),
  });
  fc.assert(
    fc.property(end, (value) => {
      const { reason, ...rest } = value;
      const next = afterFailure(reason === undefined ? rest : { ...rest, reason });
      if (value.provisional || value.cause === 'local' || value.cause === 'no-answer-local')
        expect(next).toBe('final');
      if (value.cause !== 'rejected' || value.sipStatus === null) return;
      const ofPerson = value.sipStatus === 486 || value.sipStatus >= 600;
      if (ofPerson || [17, 18, 19, 20, 21].includes(value.q850 ?? 0)) expect(next).toBe('final');
    }),
  );
});
