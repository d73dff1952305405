import { expect, test } from 'vitest';
import { readAnswer } from './messages.ts';

test('only valid replies are accepted', () => {
  const answers = [
    { type: 'clarion:token', id: 1, token: 'a.b.c' },
    { type: 'clarion:call', id: 2, callId: 7 },
    { type: 'clarion:error', id: 3, message: 'You are logged out.' },
  ];
  for (const answer of answers) expect(readAnswer({ ...answer, more: true })).toEqual(answer);
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
])('anything else is left alone: %j', (data) => expect(readAnswer(data)).toBeNull());
