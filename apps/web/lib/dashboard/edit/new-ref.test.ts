import { expect, test } from 'vitest';
import { newRef } from './new-ref.ts';

test('a ref is trimmed', () => {
  expect(newRef('queue_ref', ' sales ', ['support'])).toBe('sales');
});

test.each([' ', '.', '..', 'support', ' support '])('%j is an error at its field', (typed) => {
  expect(() => newRef('queue_ref', typed, ['support'])).toThrow(
    expect.objectContaining({ fieldErrors: { queue_ref: expect.any(String) } }),
  );
});
