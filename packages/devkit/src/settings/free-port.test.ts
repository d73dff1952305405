import { expect, test, vi } from 'vitest';
import { freePort } from './free-port.ts';

test('a port is returned only once, however late it is used', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
});

test('two workers of a test run never get the same port', async () => {
  const portsOf = async (worker: string) => {
    vi.stubEnv('VITEST_POOL_ID', worker);
    return Promise.all(Array.from({ length: 20 }, async () => (await freePort()) % 8));
  };
  expect(new Set(await portsOf('1'))).toEqual(new Set([1]));
  expect(new Set(await portsOf('2'))).toEqual(new Set([2]));
  vi.unstubAllEnvs();
});
