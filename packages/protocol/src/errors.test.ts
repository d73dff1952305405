import { expect, test } from 'vitest';
import { ApiError, unauthorized } from './errors.ts';

test('an ApiError of another copy of the module is recognised, and other values are not', () => {
  class Copy extends Error {
    get [Symbol.for('clarion.ApiError')](): true {
      return true;
    }
  }
  for (const ours of [new Copy(), unauthorized()]) expect(ours).toBeInstanceOf(ApiError);
  for (const other of [new Error('x'), { code: 'unauthorized' }, null, 'unauthorized'])
    expect(other instanceof ApiError).toBe(false);
});
