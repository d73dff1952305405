import { describe, expect, test } from 'vitest';
import { describeEnd } from './describe-end.ts';
import { inboundCall, outboundCall } from './story-models.ts';

const REASONS = [
  'COMPLETED',
  'NO_ANSWER',
  'REJECTED',
  'CANCELLED',
  'BUSY',
  'TIMEOUT',
  'PROVIDER_TRIGGER_FAILED',
  'PROVIDER_ERROR',
  'CREDIT_EXHAUSTED',
  'IVR_AGENT_NO_ANSWER',
  'AGENT_DISCONNECTED',
  'SYSTEM_ERROR',
  'NETWORK_ERROR',
];
const TERMINATORS = ['AGENT', 'CUSTOMER', 'SYSTEM', 'PROVIDER', 'CONSUMER', null];

describe('the description of how a call ended', () => {
  test('never contains the technical name of a reason', () => {
    for (const reason of [...REASONS, 'ADDED_LATER', null])
      for (const by of TERMINATORS)
        for (const call of [inboundCall, outboundCall]) {
          const { title, detail } = describeEnd({ reason, by, failure: null }, call);
          expect(`${title} ${detail ?? ''}`).not.toMatch(/_|null|[A-Z]{3}/);
        }
  });
  test('names who hung up', () => {
    const by = (who: string) =>
      describeEnd({ reason: 'COMPLETED', by: who, failure: null }, inboundCall).detail;
    expect(by('AGENT')).toBe('You hung up.');
    expect(by('CUSTOMER')).toBe('The customer hung up.');
  });
  test('calls an unanswered call missed if it is inbound, and not answered if it is outbound', () => {
    const outcome = { reason: 'NO_ANSWER', by: 'CUSTOMER', failure: null };
    expect(describeEnd(outcome, inboundCall).title).toBe('Missed call');
    expect(describeEnd(outcome, outboundCall).title).toBe('No answer');
  });
  test("keeps the carrier's failure message", () => {
    const outcome = { reason: 'PROVIDER_ERROR', by: 'PROVIDER', failure: 'The number does not exist.' };
    expect(describeEnd(outcome, outboundCall)).toMatchObject({
      detail: 'The number does not exist.',
      tone: 'bad',
    });
  });
});
