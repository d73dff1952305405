/** What the call machine makes of the ends that WhatsApp reports. */
import { describe, expect, test } from 'vitest';
import { outcomeOfDialling, outcomeOfTalking, outcomeOfWaiting } from '../call-machine/outcome.ts';
import type { WhatsAppEnd } from './call-progress.ts';
import { legEndOf, legEndOfRefusal, legEndOfSilence } from './leg-end.ts';

const error = (code: number) => ({ code, subcode: null, message: 'Words of Meta', details: null });
const completed: WhatsAppEnd = { kind: 'completed', startedAt: null, endedAt: null, durationSeconds: null };
const failed = (code: number): WhatsAppEnd => ({ kind: 'failed', started: false, error: error(code) });
const summary = ({
  status,
  terminationReason,
  terminatedBy,
  failureDetails,
}: ReturnType<typeof outcomeOfDialling>) => [
  status,
  terminationReason,
  terminatedBy,
  failureDetails?.providerCode ?? null,
];

describe('a call of ours', () => {
  test.each([
    [{ kind: 'rejected' }, ['TERMINATED', 'REJECTED', 'CUSTOMER', null]],
    [{ kind: 'unanswered' }, ['TERMINATED', 'NO_ANSWER', 'CUSTOMER', null]],
    ...[138_019, 138_020, 138_021, 138_022, 138_023].map((code) => [
      failed(code),
      ['FAILED', 'PROVIDER_ERROR', 'PROVIDER', code],
    ]),
  ] as [WhatsAppEnd, unknown[]][])('that ends with %o', (end, outcome) => {
    expect(summary(outcomeOfDialling(legEndOf(end, 'BUSINESS_INITIATED')))).toEqual(outcome);
  });

  test('without permission fails with what to do and Meta’s code', () => {
    expect(outcomeOfDialling(legEndOfRefusal(error(138_006)))).toEqual({
      status: 'FAILED',
      terminationReason: 'PROVIDER_TRIGGER_FAILED',
      terminatedBy: 'PROVIDER',
      failureDetails: {
        sipStatus: null,
        sipReason: null,
        q850: null,
        providerCode: 138_006,
        message: 'The customer has not allowed calls from this number. Ask for the permission first.',
        reason: 'whatsapp_refused',
      },
    });
  });

  test.each(['timeout', 'unreachable', 'malformed'] as const)(
    'without a usable response (%s) fails because of us',
    (silence) => {
      const outcome = outcomeOfDialling(legEndOfSilence(silence));
      expect(summary(outcome)).toEqual(['FAILED', 'PROVIDER_TRIGGER_FAILED', 'SYSTEM', null]);
      expect(outcome.failureDetails?.message).toContain('WhatsApp');
    },
  );
});

test('a customer’s call that ends before an agent has it is cancelled by the customer, or failed at Meta', () => {
  expect(summary(outcomeOfWaiting(legEndOf({ kind: 'unanswered' }, 'USER_INITIATED')))).toEqual([
    'TERMINATED',
    'CANCELLED',
    'CUSTOMER',
    null,
  ]);
  expect(summary(outcomeOfWaiting(legEndOf(completed, 'USER_INITIATED')))).toEqual([
    'TERMINATED',
    'CANCELLED',
    'CUSTOMER',
    null,
  ]);
  expect(summary(outcomeOfWaiting(legEndOf(failed(138_021), 'USER_INITIATED')))).toEqual([
    'FAILED',
    'PROVIDER_ERROR',
    'PROVIDER',
    138_021,
  ]);
});

test('a conversation is completed by the customer, or failed at Meta', () => {
  expect(summary(outcomeOfTalking(legEndOf(completed, 'BUSINESS_INITIATED')))).toEqual([
    'TERMINATED',
    'COMPLETED',
    'CUSTOMER',
    null,
  ]);
  expect(summary(outcomeOfTalking(legEndOf(failed(138_020), 'USER_INITIATED')))).toEqual([
    'FAILED',
    'PROVIDER_ERROR',
    'PROVIDER',
    138_020,
  ]);
});

test('a customer’s call that Meta does not let us accept failed at Meta, whether an agent waits or not', () => {
  for (const outcomeOf of [outcomeOfWaiting, outcomeOfTalking])
    expect(summary(outcomeOf(legEndOfRefusal(error(131_016))))).toEqual([
      'FAILED',
      'PROVIDER_ERROR',
      'PROVIDER',
      131_016,
    ]);
});
