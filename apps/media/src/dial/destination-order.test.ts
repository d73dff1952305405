import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrder } from './destination-order.ts';

const destination = fc.record({
  name: fc.string(),
  priority: fc.integer({ min: 0, max: 3 }),
  weight: fc.integer({ min: 0, max: 100 }),
});

test('every destination is tried once, in order of priority', () => {
  fc.assert(
    fc.property(
      fc.array(destination),
      fc.infiniteStream(fc.double({ min: 0, max: 0.9999 })),
      (all, draws) => {
        const ordered = inOrder(all, () => draws.next().value ?? 0);
        expect(new Set(ordered)).toEqual(new Set(all));
        expect(ordered).toHaveLength(all.length);
        const priorities = ordered.map(({ priority }) => priority);
        expect(priorities).toEqual([...priorities].sort((a, b) => a - b));
      },
    ),
  );
});

test('weights are the shares of first attempts', () => {
  const [heavy, light, spare] = [90, 10, 0].map((weight) => ({ priority: 1, weight }));
  const firsts = new Map<unknown, number>();
  const all = [spare, light, heavy].flatMap((one) => one ?? []);
  const draws = 10_000;
  for (let i = 0; i < draws; i += 1) {
    const [first] = inOrder(all, () => i / draws);
    firsts.set(first, (firsts.get(first) ?? 0) + 1);
  }
  expect((firsts.get(heavy) ?? 0) / draws).toBeCloseTo(0.9, 1);
  expect((firsts.get(light) ?? 0) / draws).toBeCloseTo(0.1, 1);
  expect((firsts.get(spare) ?? 0) / draws).toBeLessThan(0.02);
});
