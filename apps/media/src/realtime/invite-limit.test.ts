import { INVITE_DECISION_TIMEOUT_MS } from '@clarion/protocol/media';
import { expect, test } from 'vitest';
import { InviteLimit } from './invite-limit.ts';

/** A realtime node that decides on INVITEs in order, each in `msEach`, by a clock that the test sets. */
function nodeOf(msEach: number) {
  let nowMs = 0;
  let readyAtMs = 0;
  const limit = new InviteLimit(() => nowMs);
  const waiting: { atMs: number; decided: () => void }[] = [];
  const waits: number[] = [];
  return {
    limit,
    waits,
    /** @returns whether the INVITE was sent to the node */
    arrive(): boolean {
      if (limit.isFull()) return false;
      readyAtMs = Math.max(readyAtMs, nowMs) + msEach;
      waiting.push({ atMs: readyAtMs, decided: limit.ask() });
      waits.push(readyAtMs - nowMs);
      return true;
    },
    pass(ms: number): void {
      nowMs += ms;
      while (waiting[0] && waiting[0].atMs <= nowMs) waiting.shift()?.decided();
    },
  };
}

test('INVITEs below the capacity and a surge of 100 are all decided', () => {
  const node = nodeOf(10);
  for (let count = 0; count < 100; count += 1) expect(node.arrive()).toBe(true);
  node.pass(5_000);
  for (let ms = 0; ms < 20_000; ms += 12) {
    expect(node.arrive()).toBe(true);
    node.pass(12);
  }
});

test('while more arrive than are decided, none waits long, the node is never idle, and the overload ends with the last of them', () => {
  const node = nodeOf(10);
  let sent = 0;
  for (let ms = 0; ms < 30_000; ms += 5) {
    if (ms === 10_000) {
      node.waits.length = 0;
      sent = 0;
    }
    if (node.arrive()) sent += 1;
    node.pass(5);
  }
  expect(Math.max(...node.waits)).toBeLessThanOrEqual(210);
  expect(Math.min(...node.waits)).toBeGreaterThan(50);
  // 100 a second can be decided, in 20 seconds.
  expect(sent).toBeGreaterThan(1_980);
  node.pass(300);
  expect(node.arrive()).toBe(true);
});

test.each([
  { msEach: 10, longestMs: 1_000 },
  { msEach: 26, longestMs: 2_100 },
  { msEach: 50, longestMs: INVITE_DECISION_TIMEOUT_MS * 0.75 },
])(
  'the surge at the beginning of an overload waits at most $longestMs ms for a node that needs $msEach ms for each',
  ({ msEach, longestMs }) => {
    const node = nodeOf(msEach);
    for (let ms = 0; ms < 5_000; ms += 6) {
      node.arrive();
      node.pass(6);
    }
    expect(Math.max(...node.waits)).toBeLessThanOrEqual(longestMs);
  },
);

test('a node that stops deciding gets no more than a surge', () => {
  const node = nodeOf(10);
  for (let ms = 0; ms < 1_000; ms += 100) {
    node.arrive();
    node.pass(100);
  }
  const stopped = nodeOf(1_000_000);
  let sent = 0;
  for (let ms = 0; ms < 10_000; ms += 5) {
    if (stopped.arrive()) sent += 1;
    stopped.pass(5);
  }
  expect(sent).toBeLessThanOrEqual(250);
});

test('a node that was late once, with few INVITEs, still gets a surge', () => {
  const node = nodeOf(4_000);
  expect(node.arrive()).toBe(true);
  node.pass(4_000);
  for (let count = 0; count < 100; count += 1) expect(node.arrive()).toBe(true);
});
