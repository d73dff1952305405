import { expect, test } from 'vitest';
import { pushProviders } from './enums.ts';
import { explainPushReason } from './push-reasons.ts';

test('a known reason says what to do next', () => {
  expect(explainPushReason('apns', { httpStatus: 403, reason: 'InvalidProviderToken' })).toBe(
    'Apple does not accept this key. Check the key ID and the team ID.',
  );
  expect(explainPushReason('fcm', { httpStatus: 403, reason: 'SENDER_ID_MISMATCH' })).toContain(
    'another Firebase project',
  );
  expect(explainPushReason('onesignal', { httpStatus: 200, reason: 'not_subscribed' })).toContain(
    'subscription ID',
  );
  expect(explainPushReason('webpush', { httpStatus: 410, reason: 'HTTP_410' })).toContain('subscribes again');
});

test('one reason means different things with different providers', () => {
  const of = (provider: 'apns' | 'webpush') =>
    explainPushReason(provider, { httpStatus: 410, reason: 'Unregistered' });
  expect(of('apns')).not.toBe(of('webpush'));
});

test.each(pushProviders)(
  '%s: an unknown reason is quoted, and an answer says what kind of problem it is',
  (provider) => {
    const explain = (httpStatus: number | null, reason: string) =>
      explainPushReason(provider, { httpStatus, reason });
    expect(explain(400, 'SomethingNew')).toMatch(/did not accept it: SomethingNew$/);
    expect(explain(503, 'SomethingNew')).toMatch(/busy or unavailable \(SomethingNew\)/);
    expect(explain(403, 'SomethingNew')).toMatch(/does not accept the credentials \(SomethingNew\)/);
    expect(explain(null, 'Timeout')).toMatch(/did not answer in time/);
    expect(explain(null, 'ECONNREFUSED')).toMatch(/could not be reached \(ECONNREFUSED\)/);
    expect(explain(400, 'constructor')).toContain('constructor');
    const withoutStatus = (reason: string) => explainPushReason(provider, { reason });
    expect(withoutStatus('ECONNRESET')).toMatch(/could not be reached/);
    expect(withoutStatus('SomethingNew')).toMatch(/did not accept it: SomethingNew$/);
  },
);
