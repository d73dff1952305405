import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONCURRENCY, FairSlots, SLOTS_PER_FLAG, SLOTS_PER_SLOW_FLAG, SLOW_MS } from './fair-slots.ts';

const QUICK_MS = 50;
const takeAll = (slots: FairSlots, flag: string): number => {
  let taken = 0;
  while (taken < CONCURRENCY && slots.take([flag])) taken += 1;
  return taken;
};

test('the slots of one consumer are limited, and another consumer still gets its own', () => {
  const slots = new FairSlots();
  expect(takeAll(slots, 'a')).toBe(SLOTS_PER_FLAG);
  expect(takeAll(slots, 'b')).toBe(SLOTS_PER_FLAG);
  slots.release(['a'], QUICK_MS);
  expect(slots.take(['a'])).toBe(true);
});

test('a slow consumer is limited to fewer slots until it is quick again', () => {
  const slots = new FairSlots();
  slots.take(['a']);
  slots.release(['a'], SLOW_MS + 1);
  expect(takeAll(slots, 'a')).toBe(SLOTS_PER_SLOW_FLAG);
  slots.release(['a'], QUICK_MS);
  expect(takeAll(slots, 'a')).toBe(SLOTS_PER_FLAG - SLOTS_PER_SLOW_FLAG + 1);
});

test('many concurrent dead endpoints leave slots for others', () => {
  expect((CONCURRENCY / SLOTS_PER_SLOW_FLAG) * SLOTS_PER_SLOW_FLAG).toBeGreaterThan(90 * SLOTS_PER_SLOW_FLAG);
});

test('jobs without a flag are not limited', () => {
  const slots = new FairSlots();
  for (let n = 0; n < CONCURRENCY; n += 1) expect(slots.take([])).toBe(true);
});

test('in any order, no consumer exceeds the limit and every slot is returned', () => {
  const step = fc.record({
    flag: fc.constantFrom('a', 'b', 'c'),
    finish: fc.boolean(),
    tookMs: fc.nat(10_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const slots = new FairSlots();
      const running: string[] = [];
      for (const { flag, finish, tookMs } of steps) {
        const index = running.indexOf(flag);
        if (finish && index >= 0) {
          running.splice(index, 1);
          slots.release([flag], tookMs);
        } else if (slots.take([flag])) running.push(flag);
        expect(running.filter((name) => name === flag).length).toBeLessThanOrEqual(SLOTS_PER_FLAG);
        expect(slots.running).toBe(running.length);
      }
      for (const flag of running) slots.release([flag], QUICK_MS);
      expect(slots.running).toBe(0);
    }),
  );
});
