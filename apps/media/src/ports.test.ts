import { createSocket } from 'node:dgram';
import { expect, test } from 'vitest';
import { PortAllocator, PortsExhausted } from './ports.ts';

const range = { first: 30_101, last: 30_109 };

test('port pairs are even, distinct and free, and exhaustion throws PortsExhausted', async () => {
  const ports = new PortAllocator('127.0.0.1', range);
  expect(ports.capacity).toBe(4);
  const acquired = await Promise.all([ports.acquire(), ports.acquire(), ports.acquire(), ports.acquire()]);
  expect([...acquired].sort()).toEqual([30_102, 30_104, 30_106, 30_108]);
  await expect(ports.acquire()).rejects.toBeInstanceOf(PortsExhausted);
});

test('a port that another process uses is skipped', async () => {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(30_105, '127.0.0.1', resolve));
  const ports = new PortAllocator('127.0.0.1', range);
  expect(await ports.acquire()).toBe(30_102);
  expect(await ports.acquire()).toBe(30_106);
  socket.close();
});

test('a released pair is not reused immediately', async () => {
  const ports = new PortAllocator('127.0.0.1', { first: 30_110, last: 30_113 });
  const first = await ports.acquire();
  ports.release(first);
  ports.release(first);
  expect(ports.inUse).toBe(0);
  expect(await ports.acquire()).not.toBe(first);
  await expect(ports.acquire()).rejects.toBeInstanceOf(PortsExhausted);
});
