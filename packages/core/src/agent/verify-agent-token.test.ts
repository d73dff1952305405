import { createHmac, randomBytes } from 'node:crypto';
import { ApiError } from '@clarion/protocol';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { DASHBOARD_AUDIENCE } from './signed-token.ts';
import type { FindTokenKey } from './signed-token.ts';
import { verifyAgentToken } from './verify-agent-token.ts';

const secret = 'a secret as shown to the consumer';
const now = new Date('2026-06-01T12:00:00Z');
const nowSeconds = now.getTime() / 1000;
const findKey: FindTokenKey = async (slug, kid) => {
  // As the database does.
  if (`${slug}${kid}`.includes('\0')) throw new Error('invalid byte sequence for encoding "UTF8": 0x00');
  return slug === 'acme' && kid === 'k1' ? { id: 8, consumerId: 5, secret } : null;
};

const claims = {
  iss: 'acme',
  tnt: 'shop',
  sub: 'anna',
  exp: nowSeconds + 600,
  name: 'Anna B',
  role: 'AGENT',
};
const sign = (payload: Record<string, unknown>, header: Record<string, unknown> = {}, key = secret) =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', kid: 'k1', ...header })
    .sign(new TextEncoder().encode(key));
const verify = (token: string) => verifyAgentToken(token, findKey, now);

async function refusal(token: string): Promise<string> {
  const error: unknown = await verify(token).then(
    () => new Error('the token was accepted'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw error;
  expect(error.code).toBe('unauthorized');
  return error.message;
}

const without = (name: keyof typeof claims) =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

describe('a valid token', () => {
  test('contains tenant, agent, name, role and expiry', async () => {
    expect(await verify(await sign(claims))).toEqual({
      consumerId: 5,
      signingKeyId: 8,
      tenantRef: 'shop',
      agentRef: 'anna',
      name: 'Anna B',
      role: 'AGENT',
      expiresAt: new Date((nowSeconds + 600) * 1000),
    });
  });

  test('may omit the name, and a blank name counts as omitted', async () => {
    expect((await verify(await sign(without('name')))).name).toBeNull();
    expect((await verify(await sign({ ...claims, name: '  ' }))).name).toBeNull();
  });

  test('may contain any characters in refs and names, counted as in the API', async () => {
    const ref = '🙂'.repeat(191);
    const read = await verify(await sign({ ...claims, tnt: ref, sub: ref, name: '🙂'.repeat(300) }));
    expect(read).toMatchObject({ tenantRef: ref, agentRef: ref, name: '🙂'.repeat(255) });
    expect((await verify(await sign({ ...claims, name: ' An\0na\ud800 ' }))).name).toBe('Anna\ufffd');
  });

  test('may omit the role', async () => {
    expect((await verify(await sign(without('role')))).role).toBeNull();
    expect((await verify(await sign({ ...claims, role: 'SUPERVISOR' }))).role).toBe('SUPERVISOR');
  });

  test('has surrounding white space removed from its refs', async () => {
    const token = await verify(await sign({ ...claims, tnt: ' shop ', sub: ' anna ' }));
    expect([token.tenantRef, token.agentRef]).toEqual(['shop', 'anna']);
  });
});

describe('a token is rejected', () => {
  test.each([
    ['without exp', without('exp'), {}, /no exp/],
    ['when it has expired', { ...claims, exp: nowSeconds - 1 }, {}, /expired/],
    ['in the second in which it expires', { ...claims, exp: nowSeconds }, {}, /expired/],
    ['before its nbf', { ...claims, nbf: nowSeconds + 60 }, {}, /nbf/],
    ['without iss', without('iss'), {}, /no iss/],
    ['without tnt', without('tnt'), {}, /no tnt/],
    ['without sub', without('sub'), {}, /no sub/],
    ['with a tnt that is not a string', { ...claims, tnt: 7 }, {}, /tnt/],
    ['with a blank sub', { ...claims, sub: '  ' }, {}, /sub/],
    ['with a sub that is too long', { ...claims, sub: 'x'.repeat(192) }, {}, /sub/],
    ['with a sub that no agent can have', { ...claims, sub: 'an\0na' }, {}, /sub/],
    ['with a tnt that no tenant can have', { ...claims, tnt: '\ud800' }, {}, /tnt/],
    [
      'with an iss that no consumer can have',
      { ...claims, iss: 'ac\0me' },
      {},
      /not signed with a valid key/,
    ],
    ['with a kid that no key can have', claims, { kid: 'k\0' }, /not signed with a valid key/],
    ['with an exp beyond the last valid date', { ...claims, exp: 1e15 }, {}, /exp/],
    ['with a name that is not a string', { ...claims, name: { first: 'A' } }, {}, /name/],
    ['with an unknown role', { ...claims, role: 'ADMIN' }, {}, /role/],
    ['of another consumer', { ...claims, iss: 'other' }, {}, /not signed with a valid key/],
    ['with an unknown or revoked kid', claims, { kid: 'k9' }, /not signed with a valid key/],
    ['without a kid', claims, { kid: '' }, /kid/],
    ['that opens the dashboard', { ...claims, aud: DASHBOARD_AUDIENCE }, {}, /launch token/],
    [
      'that opens the dashboard among others',
      { ...claims, aud: ['x', DASHBOARD_AUDIENCE] },
      {},
      /launch token/,
    ],
    ['with a longer HMAC', claims, { alg: 'HS512' }, /HS256/],
  ] as const)('%s', async (_, payload, header, words) => {
    const token = await sign(payload, header);
    expect(await refusal(token)).toMatch(words);
  });

  test('signed with another secret', async () => {
    expect(await refusal(await sign(claims, {}, 'another secret'))).toMatch(/not signed with a valid key/);
  });

  test('with alg none, whatever its signature part is', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const alg of ['none', 'None', 'NONE', '']) {
      const body = `${part({ alg, kid: 'k1' })}.${part(claims)}`;
      expect(await refusal(`${body}.`)).toMatch(/HS256/);
      const signature = createHmac('sha256', secret).update(body).digest('base64url');
      expect(await refusal(`${body}.${signature}`)).toMatch(/HS256/);
    }
  });

  test('with an unencoded payload or an unknown critical header', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const extra of [
      { crit: ['b64'], b64: false },
      { crit: ['x'], x: 1 },
    ]) {
      const body = `${part({ alg: 'HS256', kid: 'k1', ...extra })}.${part(claims)}`;
      const signature = createHmac('sha256', secret).update(body).digest('base64url');
      expect(await refusal(`${body}.${signature}`)).toMatch(/not signed with a valid key/);
    }
  });
});

test('any text that we did not sign is rejected as unauthorized', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.string({ minLength: 1 }).map((s) => `${s}.${s}.${s}`),
      ),
      async (text) => {
        await expect(verify(text)).rejects.toBeInstanceOf(ApiError);
      },
    ),
    { numRuns: 500 },
  );
});

test('changing any character of a valid token makes it invalid, unless it decodes to the same bytes', async () => {
  const good = await sign(claims);
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: good.length - 1 }),
      fc.constantFrom(...characters),
      async (index, character) => {
        if (good[index] === character) return;
        const forged = good.slice(0, index) + character + good.slice(index + 1);
        const outcome = await verify(forged).catch((error: unknown) => error);
        // The last character of a base64url part carries bits that decoding drops: the bytes are then the same.
        const same = forged
          .split('.')
          .map((part) => Buffer.from(part, 'base64url').toString('hex'))
          .join('.');
        const original = good
          .split('.')
          .map((part) => Buffer.from(part, 'base64url').toString('hex'))
          .join('.');
        if (same !== original) expect(outcome).toBeInstanceOf(ApiError);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a forged signature is never accepted, whatever the claims', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.uint8Array({ maxLength: 64 }),
      async (more, bytes) => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const body = `${part({ alg: 'HS256', kid: 'k1' })}.${part({ ...more, ...claims })}`;
        const signature = Buffer.concat([bytes, randomBytes(1)]).toString('base64url');
        await expect(verify(`${body}.${signature}`)).rejects.toBeInstanceOf(ApiError);
      },
    ),
    { numRuns: 300 },
  );
});
