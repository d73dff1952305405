import { aCall } from '@clarion/testkit/agents/a-call';
import { expect, test } from 'vitest';
import { emptyHistory, endedCall, MAX_ENTRIES, withCall, withdrawnCall, withNote } from './history.ts';

const callInfo = aCall({ callId: 5 });
const ended = {
  ...callInfo,
  answeredAt: '2026-01-01T10:00:02.000Z',
  endedAt: '2026-01-01T10:01:02.000Z',
};

test('a call that ended here is kept with how long it was talked', () =>
  expect(endedCall(ended, 0)).toMatchObject({ call: { id: 5 }, talkedSeconds: 60, missed: false }));

test('a call that rang out is missed, one that was declined is not, one that somebody else took is not listed', () => {
  expect(withdrawnCall(callInfo, 'TIMEOUT', 0)).toMatchObject({ missed: true });
  expect(withdrawnCall(callInfo, 'CANCELLED', 0)).toMatchObject({ missed: true });
  expect(withdrawnCall(callInfo, 'DECLINED', 0)).toMatchObject({ missed: false });
  expect(withdrawnCall(callInfo, 'ANSWERED_ELSEWHERE', 0)).toBeNull();
});

test('each call is listed once, the newest first, and the list does not grow for ever', () => {
  let history = withNote(emptyHistory, 5, 'Wants an invoice');
  history = withCall(withCall(history, endedCall(callInfo, 0)), endedCall(ended, 0));
  expect(history.calls).toHaveLength(1);
  expect(history.calls[0]?.talkedSeconds).toBe(60);
  for (let id = 10; id < 10 + MAX_ENTRIES; id += 1) {
    const createdAt = new Date(Date.parse(callInfo.createdAt) + id * 1000).toISOString();
    history = withCall(history, endedCall({ ...ended, callId: id, createdAt }, 0));
  }
  expect(history.calls).toHaveLength(MAX_ENTRIES);
  expect(history.calls[0]?.call.id).toBe(9 + MAX_ENTRIES);
  expect(history.notes).toEqual({ 5: 'Wants an invoice' });
});
