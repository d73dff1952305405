import { failureCodes, failures, terminationReasons, terminators } from '@clarion/protocol';
import { legEnd, responseClasses } from '@clarion/protocol/media';
import type { LegEnd } from '@clarion/protocol/media';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcomeOfDialling, outcomeOfTalking, outcomeOfWaiting, outcomes, sipStatusOf } from './outcome.ts';

const end = (cause: LegEnd['cause'], more: Partial<LegEnd> = {}): LegEnd => ({
  cause,
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'as reported by media',
  ...more,
});
const rejected = (sipStatus: number, more: Partial<LegEnd> = {}) => end('rejected', { sipStatus, ...more });

describe('an outbound call that the carrier did not connect', () => {
  test.each([
    // status, further facts, status of the call, reason, by
    [486, {}, 'TERMINATED', 'REJECTED', 'CUSTOMER'],
    [600, {}, 'TERMINATED', 'REJECTED', 'CUSTOMER'],
    [603, {}, 'TERMINATED', 'REJECTED', 'CUSTOMER'],
    [607, {}, 'TERMINATED', 'REJECTED', 'CUSTOMER'],
    [608, {}, 'TERMINATED', 'REJECTED', 'CUSTOMER'],
    [480, {}, 'TERMINATED', 'NO_ANSWER', 'CUSTOMER'],
    [408, { provisional: true }, 'TERMINATED', 'NO_ANSWER', 'CUSTOMER'],
    [408, { provisional: false }, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [404, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [410, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [484, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [485, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [604, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [401, {}, 'FAILED', 'PROVIDER_TRIGGER_FAILED', 'PROVIDER'],
    [402, {}, 'FAILED', 'PROVIDER_TRIGGER_FAILED', 'PROVIDER'],
    [403, {}, 'FAILED', 'PROVIDER_TRIGGER_FAILED', 'PROVIDER'],
    [407, {}, 'FAILED', 'PROVIDER_TRIGGER_FAILED', 'PROVIDER'],
    [488, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [606, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [500, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [503, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [302, {}, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    // Q.850 takes precedence over the status …
    [480, { q850: 17 }, 'TERMINATED', 'REJECTED', 'CUSTOMER'],
    [503, { q850: 19 }, 'TERMINATED', 'NO_ANSWER', 'CUSTOMER'],
    [480, { q850: 1 }, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    [503, { q850: 34 }, 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
    // … if it is more specific than "normal", and never attributes our own fault to the customer.
    [486, { q850: 16 }, 'TERMINATED', 'REJECTED', 'CUSTOMER'],
    [403, { q850: 21 }, 'FAILED', 'PROVIDER_TRIGGER_FAILED', 'PROVIDER'],
  ] as const)('%i %o: %s, %s by %s', (sipStatus, more, status, terminationReason, terminatedBy) => {
    const outcome = outcomeOfDialling(rejected(sipStatus, { sipReason: 'Words', ...more }));
    expect(outcome).toMatchObject({ status, terminationReason, terminatedBy });
    expect(outcome.failureDetails).toMatchObject({ sipStatus, sipReason: 'Words' });
  });

  test.each([
    ['no-answer-local', 'TERMINATED', 'NO_ANSWER', 'CUSTOMER'],
    ['unreachable', 'FAILED', 'PROVIDER_TRIGGER_FAILED', 'SYSTEM'],
    ['media-error', 'FAILED', 'SYSTEM_ERROR', 'SYSTEM'],
    ['rtp-timeout', 'FAILED', 'NETWORK_ERROR', 'SYSTEM'],
    ['remote-bye', 'FAILED', 'PROVIDER_ERROR', 'PROVIDER'],
  ] as const)('%s: %s, %s by %s', (cause, status, terminationReason, terminatedBy) => {
    expect(outcomeOfDialling(end(cause))).toMatchObject({ status, terminationReason, terminatedBy });
  });
});

test.each([
  ['remote-cancel', 'TERMINATED', 'CANCELLED', 'CUSTOMER'],
  ['remote-bye', 'TERMINATED', 'CANCELLED', 'CUSTOMER'],
  ['unreachable', 'FAILED', 'NETWORK_ERROR', 'SYSTEM'],
  ['media-error', 'FAILED', 'SYSTEM_ERROR', 'SYSTEM'],
] as const)(
  'the leg of a waiting caller ends with %s: %s, %s by %s',
  (cause, status, terminationReason, terminatedBy) => {
    expect(outcomeOfWaiting(end(cause))).toMatchObject({ status, terminationReason, terminatedBy });
  },
);

test.each([
  ['remote-bye', 'TERMINATED', 'COMPLETED', 'CUSTOMER'],
  ['rtp-timeout', 'FAILED', 'NETWORK_ERROR', 'SYSTEM'],
  ['unreachable', 'FAILED', 'NETWORK_ERROR', 'SYSTEM'],
  ['media-error', 'FAILED', 'SYSTEM_ERROR', 'SYSTEM'],
] as const)(
  'the leg of a conversation ends with %s: %s, %s by %s',
  (cause, status, terminationReason, terminatedBy) => {
    expect(outcomeOfTalking(end(cause))).toMatchObject({ status, terminationReason, terminatedBy });
  },
);

test.each([
  ['ownerBusy', 'BUSY', 486],
  ['ownerDeclined', 'REJECTED', 603],
  ['ownerDidNotAnswer', 'NO_ANSWER', 480],
  ['noRoute', 'REJECTED', 603],
  ['queueTimeout', 'TIMEOUT', 480],
] as const)('%s: the caller gets %s as %i', (which, reason, sipStatus) => {
  const { terminationReason, terminatedBy } = outcomes[which]();
  expect(terminationReason).toBe(reason);
  expect(sipStatusOf(terminationReason, terminatedBy)).toBe(sipStatus);
});

describe('the reason of a call that the carrier did not connect', () => {
  test.each([
    [486, {}, 'busy'],
    [600, {}, 'busy'],
    [603, {}, 'declined'],
    [480, {}, 'no_answer'],
    [404, {}, 'number_not_found'],
    [404, { q850: 17 }, 'busy'],
    [401, {}, 'credentials_rejected'],
    [407, {}, 'credentials_rejected'],
    [402, {}, 'carrier_forbids'],
    [403, { sipReason: 'Forbidden' }, 'carrier_forbids'],
    [403, { sipReason: 'Invalid CLI' }, 'caller_id_rejected'],
    [403, { sipReason: 'Caller-ID not allowed' }, 'caller_id_rejected'],
    [433, {}, 'caller_id_rejected'],
    [488, {}, 'codecs_rejected'],
    [503, {}, 'carrier_error'],
    [302, {}, 'redirect_not_followed'],
    [503, { reason: 'redirect_not_followed' }, 'redirect_not_followed'],
  ] as const)('%i %o: %s', (sipStatus, more, reason) => {
    const { failureDetails } = outcomeOfDialling(rejected(sipStatus, more));
    expect(failureDetails).toMatchObject({ reason, message: failures[reason].text });
  });

  test.each([
    [408, 'carrier_no_response'],
    [503, 'carrier_unreachable'],
    [null, 'carrier_unreachable'],
  ] as const)('without a response, %s of our own: %s', (sipStatus, reason) => {
    expect(outcomeOfDialling(end('unreachable', { sipStatus })).failureDetails).toMatchObject({ reason });
  });

  test('what media reports takes precedence over the status', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...legEnd.shape.cause.options),
        fc.constantFrom(...failureCodes),
        (cause, reason) => {
          const { failureDetails } = outcomeOfDialling(end(cause, { sipStatus: 503, reason }));
          expect(failureDetails?.reason).toBe(reason);
        },
      ),
    );
  });
});

test('every report of media and carriers has an outcome; FAILED and an unanswered call of ours have a reason', () => {
  const anyEnd = fc.record({
    cause: fc.constantFrom(...legEnd.shape.cause.options),
    sipStatus: fc.option(fc.integer({ min: 300, max: 699 })),
    sipReason: fc.option(fc.string()),
    q850: fc.option(fc.integer({ min: 0, max: 127 })),
    provisional: fc.boolean(),
    message: fc.string(),
    reason: fc.option(fc.constantFrom(...failureCodes), { nil: undefined }),
    provider: fc.option(
      fc.record({
        response: fc.constantFrom(...responseClasses),
        code: fc.option(fc.integer({ min: 0 })),
      }),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(anyEnd, (told) => {
      for (const outcomeOf of [outcomeOfDialling, outcomeOfWaiting, outcomeOfTalking]) {
        const outcome = outcomeOf(told);
        expect(terminationReasons).toContain(outcome.terminationReason);
        expect(terminators).toContain(outcome.terminatedBy);
        if (outcome.status === 'FAILED' || outcomeOf === outcomeOfDialling)
          expect(failureCodes).toContain(outcome.failureDetails?.reason);
        expect(sipStatusOf(outcome.terminationReason, outcome.terminatedBy)).toBeGreaterThanOrEqual(400);
      }
    }),
  );
});
