import { expect, test } from 'vitest';
import { readEnv } from './env.ts';

const least = { CLARION_MEDIA_SECRET: 'secret' };
const allowed = { ...least, CLARION_ALLOW_PRIVATE_EGRESS: '1' };

test('private egress is rejected in production, which is the default for a media node', () => {
  expect(readEnv({ ...allowed, CLARION_PRODUCTION: '0' }).CLARION_ALLOW_PRIVATE_EGRESS).toBe(true);
  for (const value of ['', '0']) {
    const env = readEnv({ ...least, CLARION_ALLOW_PRIVATE_EGRESS: value });
    expect(env.CLARION_ALLOW_PRIVATE_EGRESS).toBe(false);
  }
  for (const env of [{}, { CLARION_PRODUCTION: '1' }, { CLARION_PRODUCTION: '' }]) {
    expect(() => readEnv({ ...allowed, ...env })).toThrow(/CLARION_ALLOW_PRIVATE_EGRESS/);
  }
});

test('trial mode is rejected on an address that other machines can reach', () => {
  const trial = { ...least, CLARION_PRODUCTION: '0' };
  expect(readEnv({ ...trial, CLARION_BIND: '127.0.0.1' }).CLARION_PRODUCTION).toBe(false);
  expect(() => readEnv({ ...trial, CLARION_BIND: '0.0.0.0' })).toThrow(/CLARION_PRODUCTION/);
});
