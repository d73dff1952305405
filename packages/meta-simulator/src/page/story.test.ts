import { expect, test } from 'vitest';
import type { Delivery } from '../webhooks/sender.ts';
import type { CallView } from '../world/call.ts';
import type { Happening, JournalEntry } from '../world/journal.ts';
import { story } from './story.ts';

const CAST = { customer: '15550001001', business: 'Harbour' };

const entriesOf = (happenings: readonly Happening[]): JournalEntry[] =>
  happenings.map((happening, i) => ({ ...happening, seq: i, at: '2026-01-01T00:00:00.000Z' }));
const told = (...happenings: Happening[]): string[] =>
  story(entriesOf(happenings), CAST).map(({ text }) => text);

const call = (change: Partial<CallView>): Happening => ({
  type: 'call',
  call: {
    id: 'wacid.1',
    direction: 'USER_INITIATED',
    customer: CAST.customer,
    acceptedAt: null,
    endedBy: null,
    errorCode: null,
    ...change,
  } as CallView,
});
const ANSWERED = { acceptedAt: '2026-01-01T00:00:00.000Z' };

test('a call of the customer is told step by step, and a repeated state only once', () => {
  expect(
    told(
      call({ state: 'calling' }),
      call({ state: 'pre_accepted' }),
      call({ state: 'accepted', ...ANSWERED }),
      call({ state: 'accepted', mediaConnected: true, ...ANSWERED }),
      call({ state: 'ended', endedBy: 'business', ...ANSWERED }),
    ),
  ).toEqual(['You call Harbour.', 'Harbour rings its agent.', 'Harbour answered.', 'Harbour hung up.']);
});

test.each([
  ['USER_INITIATED', { endedBy: 'customer' }, 'You hung up before an answer.'],
  ['USER_INITIATED', { endedBy: 'customer', ...ANSWERED }, 'You hung up.'],
  ['USER_INITIATED', { endedBy: 'business' }, 'Harbour declined the call.'],
  ['USER_INITIATED', { endedBy: 'timeout' }, 'Nobody answered.'],
  ['USER_INITIATED', { endedBy: 'error', errorCode: 138_020 }, 'The call failed: Meta’s error 138020.'],
  ['BUSINESS_INITIATED', { endedBy: 'customer' }, 'You declined the call.'],
  ['BUSINESS_INITIATED', { endedBy: 'business' }, 'You missed a call from Harbour.'],
  ['BUSINESS_INITIATED', { endedBy: 'timeout' }, 'You missed a call from Harbour.'],
] as const)('%s ended with %j', (direction, change, text) => {
  const begin = direction === 'USER_INITIATED' ? 'calling' : 'connecting';
  const lines = told(call({ direction, state: begin }), call({ direction, state: 'ended', ...change }));
  expect(lines.at(-1)).toBe(text);
});

test('calls and permissions of other customers are left out', () => {
  expect(
    told(
      call({ customer: '15550001002', state: 'calling' }),
      { type: 'permission', customer: '15550001002', status: 'permanent' },
      { type: 'digit', callId: 'wacid.9', digit: '1' },
    ),
  ).toEqual([]);
});

test.each([
  ['permanent', 'Harbour may call you.'],
  ['temporary', 'Harbour may call you for 7 days.'],
  ['no_permission', 'Harbour may not call you.'],
])('permission %s', (status, text) => {
  expect(told({ type: 'permission', customer: CAST.customer, status })).toEqual([text]);
});

test('a webhook that was not taken and a request that was refused are trouble', () => {
  const delivery: Delivery = {
    kinds: ['connect'],
    subjects: ['wacid.1'],
    status: 404,
    error: null,
    attempt: 1,
    signature: 'genuine',
  };
  const request = {
    type: 'request',
    method: 'POST',
    path: '/1/calls',
    action: 'accept',
    status: 400,
    errorCode: 100,
  } as const;
  const lines = story(
    entriesOf([
      call({ state: 'calling' }),
      { type: 'delivery', delivery: { ...delivery, subjects: ['wacid.9'] } },
      { type: 'delivery', delivery },
      { type: 'delivery', delivery: { ...delivery, status: 200 } },
      { ...request, subject: 'wacid.1' },
      { ...request, subject: 'wacid.9' },
      { ...request, action: 'connect', subject: CAST.customer, errorCode: 138_006 },
    ]),
    CAST,
  );
  expect(lines.map(({ kind }) => kind)).toEqual(['event', 'trouble', 'detail', 'trouble', 'trouble']);
  expect(lines.at(-1)?.text).toContain('you have not allowed calls');
  expect(lines[1]?.text).toBe('Webhook connect not delivered: HTTP 404. Meta tries again.');
});
