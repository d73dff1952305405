import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { signAgentToken, signLaunchToken } from './tokens.ts';

const signer = { consumer: 'acme', kid: 'k1', secret: 'a signing secret as it was shown, long enough' };
const key = new TextEncoder().encode(signer.secret);

describe('an agent token', () => {
  test('identifies the agent and expires after ten minutes', async () => {
    const token = await signAgentToken(signer, { tenantRef: 'north', agentRef: 'ada', name: 'Ada' });
    const { payload } = await jwtVerify(token, key, { issuer: 'acme', algorithms: ['HS256'] });
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', kid: 'k1' });
    expect(payload).toMatchObject({ tnt: 'north', sub: 'ada', name: 'Ada', role: 'AGENT' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(600);
  });
  test('requires a lifetime in whole seconds', async () => {
    for (const expiresInSeconds of [0, -5, 1.5, Number.NaN])
      await expect(
        signAgentToken(signer, { tenantRef: 't', agentRef: 'a', name: 'A', expiresInSeconds }),
      ).rejects.toThrow(RangeError);
  });
  test('is not signed without a key, a tenant or an agent', async () => {
    const claims = { tenantRef: 'north', agentRef: 'ada', name: 'Ada' };
    for (const part of ['consumer', 'kid', 'secret'])
      await expect(signAgentToken({ ...signer, [part]: '' }, claims)).rejects.toThrow(part);
    for (const part of ['tenantRef', 'agentRef'])
      await expect(signAgentToken(signer, { ...claims, [part]: undefined })).rejects.toThrow(part);
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
  test('is valid for at most five minutes', async () => {
    await expect(signLaunchToken(signer, { ...claims, expiresInSeconds: 301 })).rejects.toThrow(RangeError);
    const token = await signLaunchToken(signer, { ...claims, expiresInSeconds: 300 });
    const { exp = 0, iat = 0 } = (await jwtVerify(token, key)).payload;
    expect(exp - iat).toBe(300);
  });
});
