import { expect, test } from 'vitest';
import { readReply } from './messages.ts';

test('only valid replies are accepted', () => {
  const replies = [
    { type: 'clarion:token', id: 1, token: 'a.b.c' },
    { type: 'clarion:call', id: 2, callId: 7 },
    { type: 'clarion:error', id: 3, message: 'You are logged out.' },
  ];
  for (const reply of replies) expect(readReply({ ...reply, more: true })).toEqual(reply);
});

test.each([
  null,
  'clarion:token',
  {},
  { type: 'clarion:token', token: 'a' },
  { type: 'clarion:token', id: '1', token: 'a' },
  { type: 'clarion:token', id: 1, token: 5 },
  { type: 'clarion:call', id: 1, callId: '7' },
  { type: 'clarion:error', id: 1 },
  { type: 'webpack:ok', id: 1 },
])('anything else is ignored: %j', (data) => expect(readReply(data)).toBeNull());
