import { expect, test } from 'vitest';
import { whatsAppChecks } from '@clarion/protocol/v1/tenant/whatsapp-status';
import type { CallingSettings, PhoneNumberInfo } from './graph-bodies.ts';
import { lineChecks } from './line-checks.ts';
import type { LineFacts, LineReading, Reading } from './line-checks.ts';

const number: PhoneNumberInfo = {
  displayPhoneNumber: '+44 7700 900123',
  verifiedName: 'Acme',
  qualityRating: 'GREEN',
  status: 'CONNECTED',
};
const settings: CallingSettings = {
  enabled: true,
  iconVisible: true,
  callbackPermission: true,
  sipEnabled: false,
  srtpKeyExchange: 'DTLS',
};
const good: LineReading = {
  number: { kind: 'ok', value: number },
  settings: { kind: 'ok', value: settings },
};
const checks = (facts: Partial<LineFacts> = {}) =>
  lineChecks({
    address: '+447700900123',
    reading: good,
    lastWebhookAt: new Date('2026-03-01T12:00:00.000Z'),
    webhookDays: 7,
    ...facts,
  });
const states = (facts: Partial<LineFacts> = {}) =>
  Object.fromEntries(checks(facts).map(({ check, state }) => [check, state]));
const one = (check: string, facts: Partial<LineFacts>) => checks(facts).find((each) => each.check === check);
const numberIs = (change: Partial<PhoneNumberInfo>) => ({
  reading: { ...good, number: { kind: 'ok' as const, value: { ...number, ...change } } },
});
const settingsAre = (change: Partial<CallingSettings>) => ({
  reading: { ...good, settings: { kind: 'ok' as const, value: { ...settings, ...change } } },
});
const refused = (code: number, subcode: number | null = null): Reading<never> => ({
  kind: 'refused',
  error: { code, subcode, message: 'Words of Meta', details: null },
});
const allUnknown = {
  ACCESS_TOKEN: 'UNKNOWN',
  NUMBER: 'UNKNOWN',
  CALLING: 'UNKNOWN',
  WEBHOOK: 'OK',
  CALL_ICON: 'UNKNOWN',
  CALLBACK_PERMISSION: 'UNKNOWN',
};

test('a line that works has nothing to fix', () => {
  expect(checks().map(({ check }) => check)).toEqual(whatsAppChecks);
  expect(new Set(Object.values(states()))).toEqual(new Set(['OK']));
  expect(checks().map(({ fix }) => fix)).toEqual(whatsAppChecks.map(() => null));
  expect(one('NUMBER', {})?.message).toBe('The number is +44 7700 900123 with the verified name Acme.');
});

test('whatever is wrong has a fix', () => {
  for (const facts of [
    { reading: { number: null, settings: null } },
    { reading: { number: refused(190), settings: refused(190) } },
    numberIs({ displayPhoneNumber: '+1 218 555 2828' }),
    numberIs({ status: 'BANNED' }),
    numberIs({ qualityRating: 'RED' }),
    settingsAre({ enabled: false }),
    settingsAre({ sipEnabled: true }),
    settingsAre({ srtpKeyExchange: 'SDES' }),
    settingsAre({ iconVisible: false }),
    settingsAre({ callbackPermission: false }),
  ]) {
    const wrong = checks(facts).filter(({ state }) => state === 'FAILED' || state === 'WARNING');
    expect(wrong).not.toEqual([]);
    for (const { fix } of wrong) expect(fix).toMatch(/^[A-Z].*\.$/);
  }
});

test('without a token, the token is what is missing, and Meta is not blamed', () => {
  expect(states({ reading: { number: null, settings: null } })).toEqual({
    ...allUnknown,
    ACCESS_TOKEN: 'FAILED',
  });
});

test('a rejected token is the only failure', () => {
  expect(states({ reading: { number: refused(190), settings: refused(190) } })).toEqual({
    ...allUnknown,
    ACCESS_TOKEN: 'FAILED',
  });
});

test('a token that may read the number but not its settings lacks a permission', () => {
  const reading = { ...good, settings: refused(200) };
  expect(states({ reading })).toEqual({
    ...allUnknown,
    ACCESS_TOKEN: 'FAILED',
    NUMBER: 'OK',
  });
});

test('silence says nothing about the line', () => {
  const silent = { kind: 'silent' as const, silence: 'timeout' as const };
  expect(states({ reading: { number: silent, settings: silent } })).toEqual(allUnknown);
  expect(states({ reading: { ...good, settings: silent } })).toMatchObject({
    ACCESS_TOKEN: 'OK',
    NUMBER: 'OK',
    CALLING: 'UNKNOWN',
  });
});

test('an unknown phone number ID is a failure of the number, not of the token', () => {
  const unknown = refused(100, 33);
  expect(states({ reading: { number: unknown, settings: unknown } })).toMatchObject({
    ACCESS_TOKEN: 'UNKNOWN',
    NUMBER: 'FAILED',
  });
});

test.each([
  [numberIs({ displayPhoneNumber: '+1 218-555-2828' }), 'NUMBER', 'WARNING'],
  [numberIs({ status: 'BANNED' }), 'NUMBER', 'FAILED'],
  [numberIs({ status: null, qualityRating: null }), 'NUMBER', 'OK'],
  [numberIs({ qualityRating: 'RED' }), 'NUMBER', 'WARNING'],
  [settingsAre({ enabled: false }), 'CALLING', 'FAILED'],
  [settingsAre({ enabled: null }), 'CALLING', 'UNKNOWN'],
  [settingsAre({ sipEnabled: true }), 'CALLING', 'FAILED'],
  [settingsAre({ srtpKeyExchange: 'SDES' }), 'CALLING', 'FAILED'],
  [settingsAre({ srtpKeyExchange: null }), 'CALLING', 'OK'],
  [settingsAre({ iconVisible: false }), 'CALL_ICON', 'WARNING'],
  [settingsAre({ iconVisible: null }), 'CALL_ICON', 'UNKNOWN'],
  [settingsAre({ callbackPermission: false }), 'CALLBACK_PERMISSION', 'WARNING'],
  [{ lastWebhookAt: null }, 'WEBHOOK', 'UNKNOWN'],
] as [Partial<LineFacts>, string, string][])('%j: %s is %s', (facts, check, state) => {
  expect(one(check, facts)?.state).toBe(state);
});
