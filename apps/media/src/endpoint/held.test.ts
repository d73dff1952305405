import { createSocket, type Socket } from 'node:dgram';
import { expect, test, vi } from 'vitest';
import { SourceLock } from '../rtp/source-lock.ts';
import { HeldEndpoint } from './held.ts';

const bound = async (port: number): Promise<Socket> => {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind({ port, address: '127.0.0.1', exclusive: true }, resolve));
  return socket;
};
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.close(() => resolve()));
const udpHandles = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('UDP')).length;

test('an endpoint whose RTCP port is taken keeps nothing open, and opens as a whole once the port is free', async () => {
  const stranger = await bound(0);
  const port = stranger.address().port - 1;
  const before = udpHandles();
  const endpoint = new HeldEndpoint({
    bindAddress: '127.0.0.1',
    port,
    lock: new SourceLock(['127.0.0.1']),
    cname: 'leg',
    start: { ssrc: 1, sequenceNumber: 1, timestamp: 1 },
    kindOf: () => 'voice',
    onPacket: () => undefined,
    onLocked: () => undefined,
  });
  await expect(endpoint.open()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(endpoint.isOpen).toBe(false);
  await vi.waitFor(() => expect(udpHandles()).toBe(before));
  await closed(stranger);
  await endpoint.open();
  expect(endpoint.isOpen).toBe(true);
  await endpoint.close();
});
