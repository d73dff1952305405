import { whatsAppPermissionStatuses } from '@clarion/protocol/v1/call/whatsapp-permission';
import { expect, test } from 'vitest';
import {
  awaitedRequest,
  mayAsk,
  permissionLabel,
  requestLabel,
  unansweredWarning,
} from './permission-labels.ts';
import type { Permission } from './permission-labels.ts';

const requestedAt = '2026-01-05T08:59:00.000Z';
const request = (change: Partial<NonNullable<Permission['request']>> = {}) => ({
  status: 'SENT' as const,
  requestedAt,
  failure: null,
  ...change,
});

test('every status has a title and a whole sentence', () => {
  for (const status of whatsAppPermissionStatuses) {
    const { title, detail } = permissionLabel({ status, expiresAt: null });
    expect(title).not.toBe('');
    expect(detail).toMatch(/^[A-Z].*\.$/);
  }
});

test('only a permission that is valid is shown as allowed', () => {
  const allowed = whatsAppPermissionStatuses.filter(
    (status) => permissionLabel({ status, expiresAt: null }).title === 'Allowed',
  );
  expect(allowed).toEqual(['TEMPORARY', 'PERMANENT']);
});

test('the end of a temporary permission is named', () => {
  expect(permissionLabel({ status: 'TEMPORARY', expiresAt: '2026-01-12T09:00:00.000Z' }).detail).toContain(
    '12 Jan',
  );
  expect(permissionLabel({ status: 'EXPIRED', expiresAt: '2026-01-12T09:00:00.000Z' }).detail).toContain(
    '12 January 2026',
  );
});

const asked = (change: Partial<Parameters<typeof awaitedRequest>[0]> = {}) => ({
  status: 'NONE' as const,
  request: request(),
  changedAt: null,
  ...change,
});
const before = '2026-01-04T09:30:00.000Z';
const after = '2026-01-05T09:30:00.000Z';

test('a failed request says why, with the code of WhatsApp', () => {
  const failure = { providerCode: 138009, message: 'The customer was asked too often.' };
  expect(requestLabel(asked({ request: request({ status: 'FAILED', failure }) }))).toEqual({
    detail: 'The request was not sent. The customer was asked too often. Error 138009.',
    tone: 'negative',
  });
});

test('a request that the customer has answered is not shown', () => {
  expect(requestLabel(asked({ status: 'DECLINED', changedAt: after }))).toBeNull();
  expect(requestLabel(asked({ status: 'DECLINED', changedAt: before }))?.detail).toMatch(
    /^The customer was asked/,
  );
  expect(requestLabel(asked({ request: null }))).toBeNull();
});

test('the permission is read again until the request is sent and answered', () => {
  expect(awaitedRequest(asked({ request: request({ status: 'PENDING' }) }))).toBe('PENDING');
  expect(awaitedRequest(asked())).toBe('SENT');
  // WhatsApp reported while the request was sent that there is no permission.
  expect(awaitedRequest(asked({ changedAt: after }))).toBe('SENT');
  expect(awaitedRequest(asked({ status: 'TEMPORARY', changedAt: after }))).toBeNull();
  expect(awaitedRequest(asked({ status: 'TEMPORARY', changedAt: before }))).toBe('SENT');
  expect(awaitedRequest(asked({ request: request({ status: 'FAILED' }) }))).toBeNull();
  expect(awaitedRequest(asked({ request: null }))).toBeNull();
});

test('unanswered calls are a warning only while there is a permission to lose', () => {
  expect(unansweredWarning({ canCall: true, unansweredCalls: 1 })).toBeNull();
  expect(unansweredWarning({ canCall: true, unansweredCalls: 2 })).toContain('last 2 calls');
  expect(unansweredWarning({ canCall: false, unansweredCalls: 4 })).toBeNull();
});

test('a customer is not asked while a request is pending, or without need', () => {
  expect(mayAsk({ status: 'UNKNOWN', request: null })).toBe(true);
  expect(mayAsk({ status: 'EXPIRED', request: request() })).toBe(true);
  expect(mayAsk({ status: 'UNKNOWN', request: request({ status: 'PENDING' }) })).toBe(false);
  expect(mayAsk({ status: 'PERMANENT', request: null })).toBe(false);
});
