import { expect, test } from 'vitest';
import { HopMemory, MAX_RETRY_AFTER_MS, retryAfterSeconds } from './hop-memory.ts';

test('an address waits for its Retry-After, up to a maximum', () => {
  let now = 0;
  const memory = new HopMemory(() => now);
  memory.retryAfter('a', 2);
  memory.retryAfter('b', 86_400);
  expect([memory.standing('a'), memory.standing('b'), memory.standing('c')]).toEqual([
    'waiting',
    'waiting',
    'good',
  ]);
  now = 2_000;
  expect(memory.standing('a')).toBe('good');
  now = MAX_RETRY_AFTER_MS;
  expect(memory.standing('b')).toBe('good');
});

test('an address that did not respond is tried last until it responds', () => {
  const memory = new HopMemory(() => 0);
  memory.didNotRespond('a');
  expect(memory.standing('a')).toBe('tried last');
  memory.responded('a');
  expect(memory.standing('a')).toBe('good');
});

test('a response does not end a wait', () => {
  const memory = new HopMemory(() => 0);
  memory.retryAfter('a', 10);
  memory.didNotRespond('a');
  memory.responded('a');
  expect(memory.standing('a')).toBe('waiting');
});

test('the number of addresses is limited', () => {
  const memory = new HopMemory(() => 0);
  for (let i = 0; i < 5_000; i += 1) memory.didNotRespond(String(i));
  expect(memory.standing('0')).toBe('good');
  expect(memory.standing('4999')).toBe('tried last');
});

test.each([
  ['120', 120],
  ['18000;duration=3600', 18_000],
  ['5 (in a meeting)', 5],
  ['soon', 0],
  [undefined, 0],
])('Retry-After %s', (header, seconds) => expect(retryAfterSeconds(header)).toBe(seconds));
