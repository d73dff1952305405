import type { CallView, JournalEntry } from '@clarion/meta-simulator';
import { expect, test } from 'vitest';
import { endText, heardText, progressText, wasAnswered } from './whatsapp-report.ts';

const call = (change: Partial<CallView>): CallView => ({
  id: 'wacid.1',
  direction: 'USER_INITIATED',
  phoneNumberId: '1',
  customer: '447700900462',
  state: 'ended',
  opaqueData: null,
  mediaConnected: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  acceptedAt: '2026-01-01T00:00:02.000Z',
  endedAt: '2026-01-01T00:00:14.000Z',
  endedBy: 'business',
  errorCode: null,
  violations: [],
  media: {
    packetsSent: 0,
    packetsReceived: 0,
    earlyPackets: 0,
    silentForMs: null,
    iceChecks: 0,
    iceUnauthorized: 0,
    iceRoleConflicts: 0,
    digits: '',
  },
  ...change,
});
const at = { seq: 1, at: '2026-01-01T00:00:00.000Z' };

test.each([
  [{ levelDb: -120, hz: null, overRestDb: -120 }, null],
  [{ levelDb: -20.4, hz: 999.7, overRestDb: 22 }, 'a tone of 1000 Hz at -20 dB'],
  [{ levelDb: -20.4, hz: 310, overRestDb: -3 }, 'audio at -20 dB'],
])('%j is reported as %s', (heard, text) => {
  expect(heardText(heard)).toBe(text);
});

test.each([
  [{}, 'the business hung up after 12 s; heard audio at -20 dB'],
  [{ endedBy: 'customer' }, 'hung up after 12 s; heard audio at -20 dB'],
  [{ endedBy: 'customer', acceptedAt: null }, 'hung up'],
  [{ acceptedAt: null }, 'the call was declined'],
  [{ endedBy: 'timeout', acceptedAt: null }, 'nobody answered: Clarion did not accept the call in time'],
  [
    { endedBy: 'error', errorCode: 138_020 },
    'the call failed: Meta’s error 138020 after 12 s; heard audio at -20 dB',
  ],
] as const)('an end with %j is told as: %s', (change, text) => {
  expect(endText({ call: call(change), agent: 'Ada', heard: 'audio at -20 dB' })).toBe(text);
});

test('a call that a queue accepted is answered only once an agent has it', () => {
  expect(wasAnswered({ call: call({}), agent: null, heard: null })).toBe(false);
  expect(wasAnswered({ call: call({}), agent: 'ada', heard: null })).toBe(true);
});

test('without knowledge of agents, an accepted call is answered', () => {
  expect(wasAnswered({ call: call({}), agent: undefined, heard: null })).toBe(true);
  expect(wasAnswered({ call: call({ acceptedAt: null }), agent: undefined, heard: null })).toBe(false);
});

test.each([
  [{ type: 'call', call: call({ state: 'pre_accepted' }), ...at }, 'ringing'],
  [{ type: 'call', call: call({ id: 'wacid.2', state: 'pre_accepted' }), ...at }, null],
  [{ type: 'digit', callId: 'wacid.1', digit: '5', ...at }, 'heard the digit 5'],
  [{ type: 'digit', callId: 'wacid.2', digit: '5', ...at }, null],
  [
    { type: 'violation', callId: 'wacid.1', text: 'sent audio before the call was accepted', ...at },
    'against Meta’s rules: Clarion sent audio before the call was accepted',
  ],
] as [JournalEntry, string | null][])('%j is printed as %s', (entry, text) => {
  expect(progressText(entry, 'wacid.1')).toBe(text);
});
