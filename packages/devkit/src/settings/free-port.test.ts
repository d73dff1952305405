import { expect, test, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { choosePorts, portNames } from './ports.ts';

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

test('a port of the settings is not returned, although its process has not bound it yet', async () => {
  vi.stubEnv('VITEST_POOL_ID', '3');
  // All ports of this worker but 200, as if the settings named them.
  const all = Array.from({ length: 1_239 }, (_, i) => 10_083 + 8 * i);
  const free = new Set(all.splice(500, 200));
  const bind = '127.0.0.1';
  while (all.length > 0) {
    const given = Object.fromEntries(portNames.map((name) => [name, all.pop() ?? 10_083]));
    await choosePorts({}, given, { bind, internalBind: bind }, 'none');
  }
  const found = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  expect(found.filter((port) => !free.has(port))).toEqual([]);
  vi.unstubAllEnvs();
});
