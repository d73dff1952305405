import { expect, test } from 'vitest';
import { failureAdvice } from './failure-advice.ts';

const details = { sipStatus: 403, sipReason: 'Forbidden', q850: null, providerCode: null };

test('a failed call shows what to do, which field decides, and where to read more', () => {
  const message = 'The carrier rejected the credentials, caller ID or credit of the trunk.';
  expect(failureAdvice({ ...details, message, reason: 'carrier_forbids' })).toEqual({
    text: null,
    fix: 'Ask the carrier to allow the number of the line as caller ID, and check your credit with it.',
    field: 'quirks',
    docs: '/docs/failures#carrier-forbids',
  });
});

test('a message that is more concrete than the catalogue is explained by it', () => {
  expect(
    failureAdvice({ ...details, message: 'No audio was received from the caller.', reason: 'no_audio' }),
  ).toMatchObject({
    text: 'No audio was received for 30 seconds.',
  });
});

test('a call of an earlier version, or without a failure, has no advice', () => {
  expect(failureAdvice({ ...details, message: 'Busy.', reason: null })).toBeNull();
  expect(failureAdvice(null)).toBeNull();
});
