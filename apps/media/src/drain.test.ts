/** What a node that is to stop waits for; test/drain.test.ts does it with calls. */
import pino from 'pino';
import { expect, test } from 'vitest';
import { waitForCalls } from './drain.ts';
import type { Draining } from './drain.ts';

const nothing: Draining = {
  calls: { legCount: 0, ended: () => Promise.resolve() },
  invitesDecided: () => Promise.resolve(),
  recordings: () => 0,
  limitMs: 10_000,
  lateCallsMs: 1,
  log: pino({ level: 'silent' }),
};

test('a node without calls has drained', async () => {
  expect(await waitForCalls(nothing)).toBe(true);
});

test('a recording that is being stored is waited for', async () => {
  const pending = [2, 1, 1, 0];
  expect(await waitForCalls({ ...nothing, recordings: () => pending.shift() ?? 0 })).toBe(true);
  expect(pending).toEqual([]);
});

test('a call that arrives after the last one has ended is waited for', async () => {
  const ended: string[] = [];
  const calls = {
    legCount: 1,
    async ended() {
      ended.push('a call');
      if (ended.length === 2) calls.legCount = 0;
      return Promise.resolve();
    },
  };
  expect(await waitForCalls({ ...nothing, calls })).toBe(true);
  expect(ended).toHaveLength(2);
});

test('nothing is waited for longer than the limit', async () => {
  const calls = { legCount: 1, ended: () => new Promise<void>(() => undefined) };
  expect(await waitForCalls({ ...nothing, calls, limitMs: 5 })).toBe(false);
  expect(await waitForCalls({ ...nothing, recordings: () => 1, limitMs: 5 })).toBe(false);
});
