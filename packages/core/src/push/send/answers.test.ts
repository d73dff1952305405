/** What each response of each push service means. */
import { expect, test } from 'vitest';
import { message } from './__fixtures__/push-scene.ts';
import type { Answer } from './answer.ts';
import { apnsResult, isExpiredJwt } from './apns-protocol.ts';
import { fcmBody, fcmResult, isRefusedAccess } from './fcm-protocol.ts';
import { oneSignalBody, oneSignalResult } from './onesignal-protocol.ts';
import { payloadOf, secondsLeft } from './payload.ts';
import { webPushResult } from './web-push-protocol.ts';

const now = new Date('2026-11-27T12:00:00Z');
const answer = (status: number, body?: unknown, retryAfter?: string): Answer => ({
  status,
  text: body === undefined ? '' : JSON.stringify(body),
  ...(retryAfter !== undefined && { retryAfter }),
});

test.each([
  [400, 'BadDeviceToken', 'rejected'],
  [400, 'DeviceTokenNotForTopic', 'rejected'],
  [410, 'Unregistered', 'rejected'],
  [410, 'ExpiredToken', 'rejected'],
  [400, 'BadTopic', 'failed'],
  [400, 'TopicDisallowed', 'failed'],
  [400, 'BadMessageId', 'failed'],
  [403, 'InvalidProviderToken', 'failed'],
  [403, 'ExpiredProviderToken', 'failed'],
  [403, 'BadCertificateEnvironment', 'failed'],
  [413, 'PayloadTooLarge', 'failed'],
  [429, 'TooManyRequests', 'retry'],
  [429, 'TooManyProviderTokenUpdates', 'retry'],
  [500, 'InternalServerError', 'retry'],
  [503, 'ServiceUnavailable', 'retry'],
  [503, 'Shutdown', 'retry'],
])('APNs %i %s: %s', (status, reason, outcome) => {
  const options = { kind: 'INCOMING', sandbox: true, now } as const;
  expect(apnsResult(answer(status, { reason }), options)).toEqual({ outcome, httpStatus: status, reason });
});

test('APNs: sent, a test, and responses without a reason', () => {
  const options = { kind: 'INCOMING', sandbox: true, now } as const;
  const asTest = { ...options, kind: 'TEST' } as const;
  expect(apnsResult(answer(200), options)).toEqual({ outcome: 'sent', httpStatus: 200, sandbox: true });
  expect(apnsResult(answer(400, { reason: 'BadDeviceToken' }), asTest)).toMatchObject({ outcome: 'sent' });
  expect(apnsResult(answer(400, { reason: 'DeviceTokenNotForTopic' }), asTest)).toMatchObject({
    outcome: 'failed',
  });
  expect(apnsResult(answer(302), options)).toEqual({
    outcome: 'failed',
    httpStatus: 302,
    reason: 'HTTP_302',
  });
  expect(apnsResult(answer(503, ['what']), options)).toMatchObject({ outcome: 'retry', reason: 'HTTP_503' });
  expect(isExpiredJwt(answer(403, { reason: 'ExpiredProviderToken' }))).toBe(true);
  expect(isExpiredJwt(answer(403, { reason: 'InvalidProviderToken' }))).toBe(false);
});

const fcm = (status: number, code: string, details: object[] = [], text = '') =>
  answer(status, { error: { code: status, message: text, status: code, details } });
const fcmCode = (errorCode: string) => ({ '@type': 'type.googleapis.com/…FcmError', errorCode });
const violation = (field: string) => ({ '@type': '…BadRequest', fieldViolations: [{ field }] });

test.each<[string, Answer, string, string]>([
  ['an unknown token', fcm(404, 'NOT_FOUND', [fcmCode('UNREGISTERED')]), 'rejected', 'UNREGISTERED'],
  ['an unknown project', fcm(404, 'NOT_FOUND'), 'failed', 'NOT_FOUND'],
  [
    'a malformed token',
    fcm(400, 'INVALID_ARGUMENT', [violation('message.token'), fcmCode('INVALID_ARGUMENT')]),
    'rejected',
    'INVALID_ARGUMENT',
  ],
  [
    'a malformed token, in words',
    fcm(
      400,
      'INVALID_ARGUMENT',
      [fcmCode('INVALID_ARGUMENT')],
      'The registration token is not a valid FCM registration token',
    ),
    'rejected',
    'INVALID_ARGUMENT',
  ],
  [
    'a malformed message',
    fcm(400, 'INVALID_ARGUMENT', [violation('message.data')]),
    'failed',
    'INVALID_ARGUMENT',
  ],
  [
    'another sender',
    fcm(403, 'PERMISSION_DENIED', [fcmCode('SENDER_ID_MISMATCH')]),
    'rejected',
    'SENDER_ID_MISMATCH',
  ],
  ['no permission', fcm(403, 'PERMISSION_DENIED'), 'failed', 'PERMISSION_DENIED'],
  ['a refused access token', fcm(401, 'UNAUTHENTICATED'), 'failed', 'UNAUTHENTICATED'],
  ['a quota', fcm(429, 'RESOURCE_EXHAUSTED', [fcmCode('QUOTA_EXCEEDED')]), 'retry', 'QUOTA_EXCEEDED'],
  ['an internal error', fcm(500, 'INTERNAL', [fcmCode('INTERNAL')]), 'retry', 'INTERNAL'],
  ['an overload', fcm(503, 'UNAVAILABLE', [fcmCode('UNAVAILABLE')]), 'retry', 'UNAVAILABLE'],
  ['an unexpected body', answer(400, { error: { details: 'none' } }), 'failed', 'HTTP_400'],
  ['no JSON', { status: 502, text: '<html>' }, 'retry', 'HTTP_502'],
])('FCM, %s: %#', (_, response, outcome, reason) => {
  expect(fcmResult(response, now)).toEqual({ outcome, httpStatus: response.status, reason });
});

test('FCM: an access token is replaced only if it is what FCM refuses', () => {
  expect(isRefusedAccess(fcm(401, 'UNAUTHENTICATED'))).toBe(true);
  expect(isRefusedAccess(fcm(401, 'UNAUTHENTICATED', [fcmCode('THIRD_PARTY_AUTH_ERROR')]))).toBe(false);
  expect(isRefusedAccess(fcm(403, 'PERMISSION_DENIED'))).toBe(false);
});

test.each<[Answer, string, string?]>([
  [answer(200, { id: 'a', external_id: null }), 'sent'],
  [answer(200, { id: 'a', errors: { invalid_player_ids: ['t'] } }), 'rejected', 'invalid_player_ids'],
  [
    answer(200, { id: 'a', errors: { invalid_subscription_ids: ['t'] } }),
    'rejected',
    'invalid_subscription_ids',
  ],
  [
    answer(200, { id: '', errors: ['All included players are not subscribed'] }),
    'rejected',
    'not_subscribed',
  ],
  [answer(200, 'ok'), 'failed', 'InvalidResponse'],
  [answer(400, { errors: ['app_id not found'] }), 'failed', 'app_id not found'],
  [answer(401, { errors: ['bad key s3cret'] }), 'failed', 'bad key …'],
  [answer(403, { errors: { also: 'this' } }), 'failed', 'HTTP_403'],
  [answer(429, { errors: ['API rate limit exceeded'] }), 'retry', 'API rate limit exceeded'],
  [answer(500), 'retry', 'HTTP_500'],
])('OneSignal %o: %s', (response, outcome, reason) => {
  const result = { outcome, httpStatus: response.status, ...(reason !== undefined && { reason }) };
  expect(oneSignalResult(response, 's3cret', now)).toEqual(result);
});

test.each<[Answer, string, string?]>([
  [answer(201), 'sent'],
  [answer(200), 'sent'],
  [answer(404), 'rejected', 'HTTP_404'],
  [answer(410, { reason: 'Unregistered' }), 'rejected', 'Unregistered'],
  [answer(400, { code: 400, errno: 110, error: 'Bad Request' }), 'failed', 'Bad Request'],
  [answer(401), 'failed', 'HTTP_401'],
  [answer(403, { reason: 'BadJwtToken' }), 'failed', 'BadJwtToken'],
  [answer(413), 'failed', 'HTTP_413'],
  [answer(429), 'retry', 'HTTP_429'],
  [answer(503), 'retry', 'HTTP_503'],
])('Web Push %o: %s', (response, outcome, reason) => {
  const result = { outcome, httpStatus: response.status, ...(reason !== undefined && { reason }) };
  expect(webPushResult(response, now)).toEqual(result);
});

test.each([
  ['2', 2_000],
  ['Fri, 27 Nov 2026 12:00:05 GMT', 5_000],
  ['Fri, 27 Nov 2026 11:00:00 GMT', 0],
  ['999999', 3_600_000],
  ['soon', undefined],
])('Retry-After: %s', (value, retryAfterMs) => {
  expect(webPushResult(answer(503, undefined, value), now)).toEqual({
    outcome: 'retry',
    httpStatus: 503,
    reason: 'HTTP_503',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
});

test('a reason is stored and shown, so it contains no control characters and is short', () => {
  const response = answer(403, { reason: `a\u0000b\r\nc${'x'.repeat(4_000)}` });
  const result = webPushResult(response, now);
  expect(result).toMatchObject({ reason: expect.stringMatching(/^a b cx{115}$/) });
});

test('a payload has no keys without a value, and fits every service whatever the caller is called', () => {
  const withheld = message('INCOMING', now, { callerAddress: null, callerName: null });
  expect(Object.keys(payloadOf(withheld))).not.toContain('callerName');
  expect(Object.keys(payloadOf(withheld))).not.toContain('callerAddress');
  const long = message('INCOMING', now, { callerAddress: '📞'.repeat(5_000), callerName: '"'.repeat(5_000) });
  expect(Buffer.byteLength(JSON.stringify(payloadOf(long)))).toBeLessThan(2_048);
  expect(Object.keys(payloadOf(message('TEST', now))).toSorted()).toEqual(
    ['agentRef', 'expiresAt', 'pushId', 'sentAt', 'tenantRef', 'type'].toSorted(),
  );
});

test('a test is shown by an iPhone, and received by the app on Android', () => {
  const bodyFor = (platform: 'ANDROID' | 'IOS') =>
    JSON.parse(oneSignalBody('app', { platform, token: 't' }, message('TEST', now), now)) as object;
  expect(bodyFor('IOS')).toMatchObject({
    headings: { en: 'Test' },
    contents: { en: 'Push notifications are working.' },
    data: { type: 'test' },
  });
  expect(bodyFor('IOS')).not.toHaveProperty('content_available');
  expect(bodyFor('ANDROID')).toMatchObject({ content_available: true, data: { type: 'test' } });
  expect(bodyFor('ANDROID')).not.toHaveProperty('contents');
});

test('a push lives as long as the offer, and at least a second', () => {
  const soon = (ms: number) => message('INCOMING', now, { expiresAt: new Date(now.getTime() + ms) });
  expect([30_000, 29_001, 400, -5].map((ms) => secondsLeft(soon(ms), now))).toEqual([30, 30, 1, 1]);
  const to = { platform: 'ANDROID', token: 't' } as const;
  expect(JSON.parse(fcmBody(to, soon(12_000), now) ?? '')).toMatchObject({
    message: { android: { ttl: '12s' } },
  });
  expect(JSON.parse(oneSignalBody('app', to, soon(12_000), now))).toMatchObject({ ttl: 12 });
});
