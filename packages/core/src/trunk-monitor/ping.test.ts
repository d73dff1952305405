import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUp, observe, STORE_EVERY_MS, withJitter, type Reachability } from './ping.ts';

const START = Date.parse('2026-01-05T09:00:00Z');
const at = (ms: number) => new Date(START + ms);
const never: Reachability = { up: null, failures: 0, storedAt: null };

test.each([
  [200, true],
  [302, true],
  [401, true],
  [404, true],
  [405, true],
  [486, true],
  [603, true],
  [408, false],
  [500, false],
  [503, false],
  [599, false],
  [null, false],
])('a carrier that responds with %s is up: %s', (status, up) => {
  expect(isUp({ status })).toBe(up);
});

test('one lost ping is confirmed before the carrier counts as down; one response brings it up', () => {
  const first = observe(never, { up: true }, at(0));
  expect(first).toMatchObject({ store: true, changed: true, confirm: false });
  const lost = observe(first.next, { up: false }, at(60_000));
  expect(lost).toMatchObject({ store: false, changed: false, confirm: true });
  expect(observe(lost.next, { up: true }, at(65_000))).toMatchObject({ store: false, changed: false });
  const down = observe(lost.next, { up: false }, at(65_000));
  expect(down).toMatchObject({ store: true, changed: true, confirm: false });
  expect(observe(down.next, { up: true }, at(125_000))).toMatchObject({ store: true, changed: true });
});

test('a carrier that has never responded is down after its first ping', () => {
  expect(observe(never, { up: false }, at(0))).toMatchObject({ store: true, changed: true, confirm: false });
});

test('while nothing changes, a ping is stored every five minutes', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(fc.integer({ min: 1_000, max: 120_000 }), { maxLength: 50 }),
      (up, gaps) => {
        let state = observe(never, { up }, at(0)).next;
        let [now, stored] = [0, 0];
        for (const gap of gaps) {
          now += gap;
          const step = observe(state, { up }, at(now));
          expect(step).toMatchObject({
            changed: false,
            confirm: false,
            store: now - stored >= STORE_EVERY_MS,
          });
          if (step.store) stored = now;
          state = step.next;
        }
      },
    ),
  );
});

test('an interval varies by its share in both directions', () => {
  expect([0, 0.5, 1].map((random) => withJitter(60_000, 0.1, random))).toEqual([54_000, 60_000, 66_000]);
});
