import { expect, test } from 'vitest';
import { planOf, smaller, STILL } from './plan.ts';

test('the same seed produces the same plan', () => {
  expect(planOf(42)).toEqual(planOf(42));
  expect(
    new Set(Array.from({ length: 50 }, (_, seed) => JSON.stringify(planOf(seed).steps))).size,
  ).toBeGreaterThan(40);
});

test('each smaller plan omits one step or fault', () => {
  const plan = { ...planOf(3), way: 'out' as const, progress: ['180' as const], audioLoss: 0.02 };
  const all = smaller(plan);
  expect(all.filter(({ steps }) => steps.length === plan.steps.length - 1)).toHaveLength(plan.steps.length);
  expect(all.some(({ audioLoss }) => audioLoss === 0)).toBe(true);
  expect(smaller({ ...plan, wire: STILL, audioLoss: 0, progress: ['none'], steps: [] })).toEqual([]);
});
