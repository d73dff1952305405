import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { signAgentToken, signLaunchToken } from './tokens.ts';

const signer = { consumer: 'acme', kid: 'k1', secret: 'a signing secret as it was shown, long enough' };
const key = new TextEncoder().encode(signer.secret);

describe('an agent token', () => {
  test('says who the agent is and runs out after ten minutes', async () => {
    const token = await signAgentToken(signer, { tenantRef: 'north', agentRef: 'ada', name: 'Ada' });
    const { payload } = await jwtVerify(token, key, { issuer: 'acme', algorithms: ['HS256'] });
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', kid: 'k1' });
    expect(payload).toMatchObject({ tnt: 'north', sub: 'ada', name: 'Ada', role: 'AGENT' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(600);
  });
  test('needs a lifetime in whole seconds', () => {
    for (const expiresInSeconds of [0, -5, 1.5, Number.NaN])
      expect(() =>
        signAgentToken(signer, { tenantRef: 't', agentRef: 'a', name: 'A', expiresInSeconds }),
      ).toThrow(RangeError);
  });
});

describe('a launch token', () => {
  const claims = { tenantRef: 'north', userId: 'u7', name: 'Uma', role: 'ADMIN' } as const;
  test('is for the dashboard, and unique', async () => {
    const [first, second] = await Promise.all([
      signLaunchToken(signer, claims),
      signLaunchToken(signer, claims),
    ]);
    const { payload } = await jwtVerify(first, key, { issuer: 'acme', audience: 'clarion-dashboard' });
    expect(payload).toMatchObject({ tnt: 'north', sub: 'u7', name: 'Uma', role: 'ADMIN' });
    expect(payload.jti).not.toBe((await jwtVerify(second, key)).payload.jti);
  });
  test('lives five minutes at most', () => {
    expect(() => signLaunchToken(signer, { ...claims, expiresInSeconds: 301 })).toThrow(RangeError);
  });
});
