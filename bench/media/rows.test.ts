import { describe, expect, test } from 'vitest';
import { ratiosOf, spreadOf, verdictOf, type Row } from './rows.ts';

const row = (ours: number[], peer: number[] | null): Row => ({
  name: 'a',
  unit: 'µs',
  ours,
  peer: peer && { name: 'them', figures: peer },
  goal: 1,
  limit: 1.5,
  lost: { ours: 0, peer: 0 },
});

describe('a row of the media benchmark', () => {
  test('has the median and the range of its figures', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, lowest: 1, highest: 3 });
    expect(spreadOf([4, 1, 2, 3])).toEqual({ median: 2.5, lowest: 1, highest: 4 });
  });

  test('compares the figures of the same round', () => {
    expect(ratiosOf(row([10, 40], [10, 20]))).toEqual([1, 2]);
  });

  test('reports whether the goal was met, only the limit, or neither', () => {
    expect(verdictOf(row([9], [10]))).toBe('met');
    expect(verdictOf(row([14], [10]))).toBe('within the limit');
    expect(verdictOf(row([16], [10]))).toBe('missed');
    expect(verdictOf(row([16], null))).toBe('no peer');
  });
});
