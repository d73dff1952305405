import { expect, test } from 'vitest';
import { matchingTriggers } from './triggers.ts';

const free = { connected: true, available: true, onCall: false };
const busy = { connected: true, available: true, onCall: true };
const busyOffShift = { connected: true, available: false, onCall: true };
const offShift = { connected: true, available: false, onCall: false };
const gone = { connected: false, available: true, onCall: false };
const OFFLINE = ['ALL_AGENTS_OFFLINE', 'ALWAYS'];
const BUSY = ['ALL_AGENTS_BUSY', 'ALWAYS'];

test.each([
  ['a line without a queue', null, ['ALWAYS']],
  ['a queue without members', [], OFFLINE],
  ['one is idle', [free, busy, gone], ['ALWAYS']],
  ['all are on calls', [busy, busy], BUSY],
  ['one is on a call and no other is connected', [busy, gone, offShift], BUSY],
  ['one is on a call of their own, off shift', [busyOffShift], BUSY],
  ['one is on a call off shift, another is idle', [busyOffShift, free], ['ALWAYS']],
  ['all are off shift or disconnected', [offShift, gone], OFFLINE],
] as const)('%s', (_, members, expected) => {
  expect(matchingTriggers(members)).toEqual(expected);
});
