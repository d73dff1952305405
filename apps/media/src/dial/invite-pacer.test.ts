import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvitePacer, MAX_PACING_MS } from './invite-pacer.ts';

test('no second has more INVITEs than twice the rate, no minute more than its share and one burst, and none waits too long', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 20 }), (all, rate) => {
      let now = 10_000;
      const pacer = new InvitePacer(() => now);
      const sent: number[] = [];
      for (const gap of all) {
        now += gap;
        const wait = pacer.reserve(1, rate);
        if (wait === null) continue;
        expect(wait).toBeLessThanOrEqual(MAX_PACING_MS);
        sent.push(now + wait);
      }
      expect(sent).toEqual([...sent].sort((a, b) => a - b));
      for (const [first, from] of sent.entries()) {
        for (const [last, until] of sent.entries()) {
          if (last < first) continue;
          const allowed = rate + ((until - from) / 1_000) * rate;
          expect(last - first).toBeLessThanOrEqual(allowed + 1e-6);
        }
      }
    }),
  );
});

test('one call per second: the fifth of five concurrent calls would wait for too long', () => {
  const pacer = new InvitePacer(() => 5_000);
  expect([1, 2, 3, 4, 5].map(() => pacer.reserve(7, 1))).toEqual([0, 1_000, 2_000, 3_000, null]);
  expect(pacer.reserve(8, 1)).toBe(0);
});

test('a call that is not placed takes no share of the others', () => {
  let now = 5_000;
  const pacer = new InvitePacer(() => now);
  for (let i = 0; i < 20; i += 1) pacer.reserve(7, 1);
  now += 1_500;
  expect(pacer.reserve(7, 1)).toBe(2_500);
});
