/** Which media node a new call gets. */
import { expect, test } from 'vitest';
import { leastLoadedOf } from './nodes.ts';

const node = (nodeId: string, legs: number, change: { capacity?: number; draining?: boolean } = {}) => ({
  nodeId,
  legs,
  capacity: 100,
  draining: false,
  ...change,
});

test('the node whose capacity is used least gets the call, and the first of equals', () => {
  expect(leastLoadedOf([node('a', 2), node('b', 1)])).toBe('b');
  expect(leastLoadedOf([node('a', 2, { capacity: 500 }), node('b', 1)])).toBe('a');
  expect(leastLoadedOf([node('a', 0), node('b', 0)])).toBe('a');
});

test('a draining node gets no call, however few it has', () => {
  const draining = node('a', 0, { draining: true });
  expect(leastLoadedOf([draining, node('b', 50)])).toBe('b');
  expect(leastLoadedOf([draining])).toBeNull();
  expect(leastLoadedOf([])).toBeNull();
});
