import { expect, test } from 'vitest';
import { correctionOf } from './database-clock.ts';

const measured = (differenceMs: number, errorMs: number) => ({ differenceMs, errorMs });

test('a host whose clock is close to the one of the database, or seems different only by slow queries, keeps its own', () => {
  expect(correctionOf([])).toBe(0);
  expect(correctionOf([measured(80, 1)])).toBe(0);
  expect(correctionOf([measured(-1_400, 1_500)])).toBe(0);
});

test('the most accurate measurement counts', () => {
  expect(correctionOf([measured(-6_000, 900), measured(-5_004, 2), measured(-4_000, 1_200)])).toBe(-5_004);
});

test('after one of the clocks was set, earlier measurements do not count', () => {
  expect(correctionOf([measured(0, 1), measured(5_300, 400)])).toBe(5_300);
  expect(correctionOf([measured(5_300, 1), measured(20, 400), measured(90, 300)])).toBe(0);
});
