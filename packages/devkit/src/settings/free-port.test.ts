import { createSocket } from 'node:dgram';
import { expect, test, vi } from 'vitest';
import { freePort, freePorts } from './free-port.ts';
import { choosePorts, portNames } from './ports.ts';

test('a port is returned only once, however late it is used', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
});

test('two workers of a test run never get the same port', async () => {
  const portsOf = async (worker: string) => {
    vi.stubEnv('VITEST_POOL_ID', worker);
    return Promise.all(Array.from({ length: 20 }, async () => Math.floor((await freePort()) / 32) % 8));
  };
  expect(new Set(await portsOf('1'))).toEqual(new Set([1]));
  expect(new Set(await portsOf('2'))).toEqual(new Set([2]));
  vi.unstubAllEnvs();
});

test('a port of the settings is not returned, although its process has not bound it yet', async () => {
  vi.stubEnv('VITEST_POOL_ID', '3');
  // All ports of this worker but 200, as if the settings named them.
  const all = Array.from({ length: 9_919 }, (_, i) => 10_081 + i).filter(
    (port) => Math.floor(port / 32) % 8 === 3,
  );
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

test('adjacent ports are returned only once too', async () => {
  vi.stubEnv('VITEST_POOL_ID', '4');
  const runs = await Promise.all(Array.from({ length: 10 }, () => freePorts(20)));
  const ports = runs.flatMap((first) => Array.from({ length: 20 }, (_, at) => first + at));
  ports.push(...(await Promise.all(Array.from({ length: 50 }, () => freePort()))));
  expect(new Set(ports).size).toBe(250);
  vi.unstubAllEnvs();
});

test('a port that a UDP socket has bound is not returned', async () => {
  vi.stubEnv('VITEST_POOL_ID', '5');
  const first = await freePorts(32);
  const rest = Array.from({ length: 9_919 }, (_, i) => 10_081 + i).filter(
    (port) => Math.floor(port / 32) % 8 === 5 && (port < first || port > first + 31),
  );
  vi.resetModules(); // no port is reserved
  const again = await import('./free-port.ts');
  for (const port of rest) again.reservePort(port);
  const sockets = Array.from({ length: 31 }, () => createSocket('udp4'));
  await Promise.all(
    sockets.map((socket, at) => new Promise<void>((bound) => socket.bind(first + at, '127.0.0.1', bound))),
  );
  expect(await again.freePort()).toBe(first + 31);
  for (const socket of sockets) socket.close();
  vi.unstubAllEnvs();
});
