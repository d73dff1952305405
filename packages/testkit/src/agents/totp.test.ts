import { expect, test } from 'vitest';
import { totpCode } from './totp.ts';

test('the codes match the test vectors of RFC 6238, appendix B', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  expect(totpCode(secret, 59_000)).toBe('287082');
  expect(totpCode(secret, 1_111_111_109_000)).toBe('081804');
  expect(totpCode(secret, 20_000_000_000_000)).toBe('353130');
});
