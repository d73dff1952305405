import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fetchToken, MAX_REFRESH_MS, MIN_REFRESH_MS, refreshDelayMs, tokenSubject } from './token.ts';

const tokenOf = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
const MINUTE = 60_000;

describe('reading a token', () => {
  test('distinguishes agents of different tenants, in any script', () => {
    const subjects = ['north', 'süd', 'č:š'].map((tnt) =>
      tokenSubject(tokenOf({ iss: 'acme', tnt, sub: 'ada' })),
    );
    expect(new Set(subjects).size).toBe(3);
    expect(tokenSubject(tokenOf({ iss: 'acme', tnt: 'süd', sub: 'ada' }))).toBe('["acme","süd","ada"]');
  });
  test('returns null for an invalid token, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(tokenSubject(text)).toBeNull();
        expect(refreshDelayMs(text, 0)).toBeNull();
      }),
    );
  });
});

describe('a fresh token is fetched', () => {
  test('half a minute before the old one expires, whatever the local clock shows', () => {
    const token = tokenOf({ iat: 1_000, exp: 1_600 });
    expect(refreshDelayMs(token, 0)).toBe(9.5 * MINUTE);
    expect(refreshDelayMs(token, Date.now())).toBe(9.5 * MINUTE);
  });
  test('halfway through a very short lifetime, but not in a loop', () => {
    expect(refreshDelayMs(tokenOf({ iat: 1_000, exp: 1_040 }), 0)).toBe(20_000);
    expect(refreshDelayMs(tokenOf({ iat: 1_000, exp: 1_001 }), 0)).toBe(MIN_REFRESH_MS);
  });
});

test('a token that is valid for longer than a timer can run is replaced early, not in a loop', () => {
  const monthSeconds = 40 * 24 * 60 * 60;
  expect(refreshDelayMs(tokenOf({ iat: 1_000, exp: 1_000 + monthSeconds }), 0)).toBe(MAX_REFRESH_MS);
});

test('a getToken that fails or returns nothing causes the same error', async () => {
  for (const getToken of [
    () => Promise.reject(new Error('down')),
    () => '',
    () => JSON.parse('null') as string,
  ])
    await expect(fetchToken(getToken)).rejects.toMatchObject({ code: 'token_failed' });
});
