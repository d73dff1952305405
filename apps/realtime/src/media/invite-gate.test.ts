import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { InviteGate } from './invite-gate.ts';

/** Decisions that the test finishes, by a clock that it sets. */
function gateOf() {
  let nowMs = 0;
  const gate = new InviteGate(() => nowMs);
  const started: number[] = [];
  const finishers = new Map<number, () => void>();
  let last = 0;
  /** @returns whether the INVITE was admitted */
  const arrive = (): boolean => {
    if (gate.isFull()) return false;
    const number = ++last;
    void gate.run(async () => {
      started.push(number);
      const { promise, resolve } = Promise.withResolvers<void>();
      finishers.set(number, resolve);
      await promise;
    });
    return true;
  };
  const finishOldest = async (): Promise<void> => {
    const [[number, finish] = [0, () => undefined]] = finishers;
    finishers.delete(number);
    finish();
    await turn();
  };
  return { arrive, finishOldest, started, pass: (ms: number) => (nowMs += ms) };
}

test('a surge of 100 INVITEs is admitted, four at a time, in order of arrival', async () => {
  const { arrive, finishOldest, started, pass } = gateOf();
  for (let count = 0; count < 100; count += 1) expect(arrive()).toBe(true);
  expect(started).toEqual([1, 2, 3, 4]);
  for (let count = 0; count < 100; count += 1) {
    pass(5);
    await finishOldest();
  }
  expect(started).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(arrive()).toBe(true);
});

test('twice the capacity for a minute: the queue is limited to a short wait, and ends with the overload', async () => {
  const { arrive, finishOldest, pass } = gateOf();
  let waiting = 0;
  let refusedLate = 0;
  // 4 decisions of 160 ms at a time are 25 per second; 50 arrive.
  for (let ms = 0; ms < 60_000; ms += 40) {
    for (const _ of [1, 2]) {
      const admitted = arrive();
      if (admitted) waiting += 1;
      else if (ms > 30_000) refusedLate += 1;
    }
    pass(40);
    await finishOldest();
    waiting = Math.max(0, waiting - 1);
    // After the surge, at most a quarter of a second of work and the four that are being decided.
    if (ms > 10_000) expect(waiting).toBeLessThanOrEqual(12);
  }
  expect(refusedLate).toBeGreaterThan(600);
  for (let count = 0; count < 12; count += 1) await finishOldest();
  expect(arrive()).toBe(true);
});

test('a decision that fails leaves its place to the next one', async () => {
  const gate = new InviteGate();
  const failed = Array.from({ length: 6 }, () => gate.run(() => Promise.reject(new Error('no database'))));
  const outcomes = await Promise.allSettled(failed);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  await expect(gate.run(() => Promise.resolve())).resolves.toBeUndefined();
});
