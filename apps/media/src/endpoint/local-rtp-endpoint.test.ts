import { createSocket, type Socket } from 'node:dgram';
import { expect, test, vi } from 'vitest';
import { buildRtp } from '../rtp/packet.ts';
import { SourceLock } from '../rtp/source-lock.ts';
import { LocalRtpEndpoint, type LocalRtpEndpointOptions } from './local-rtp-endpoint.ts';

const bound = async (port: number): Promise<Socket> => {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind({ port, address: '127.0.0.1', exclusive: true }, resolve));
  return socket;
};
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.close(() => resolve()));
const plain = (datagram: Buffer) => datagram;
const endpointAt = (port: number, change: Partial<LocalRtpEndpointOptions> = {}) =>
  new LocalRtpEndpoint({
    bindAddress: '127.0.0.1',
    port,
    lock: new SourceLock(['127.0.0.1']),
    srtp: { protectRtp: plain, protectRtcp: plain, unprotectRtp: plain, unprotectRtcp: plain },
    cname: 'leg',
    start: { ssrc: 1, sequenceNumber: 1, timestamp: 1 },
    kindOf: () => 'voice',
    onPacket: () => undefined,
    onLocked: () => undefined,
    onFailure: () => undefined,
    ...change,
  });
const udpHandles = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('UDP')).length;

test('an endpoint whose RTCP port is in use releases its RTP port, and can be opened once both are free', async () => {
  const other = await bound(0);
  const port = other.address().port - 1;
  const before = udpHandles();
  const endpoint = endpointAt(port);
  await expect(endpoint.open()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(endpoint.isOpen).toBe(false);
  await vi.waitFor(() => expect(udpHandles()).toBe(before));
  await closed(other);
  await endpoint.open();
  expect(endpoint.isOpen).toBe(true);
  await endpoint.close();
});

test('a packet whose handler throws is counted and reported once, and later packets are processed', async () => {
  const failures: unknown[] = [];
  let packets = 0;
  const sender = await bound(0);
  const free = await bound(0);
  const port = free.address().port;
  await closed(free);
  const endpoint = endpointAt(port, {
    onPacket: () => {
      packets += 1;
      if (packets < 3) throw new Error('odd packet');
    },
    onFailure: (error) => failures.push(error),
  });
  await endpoint.open();
  for (let sequenceNumber = 0; sequenceNumber < 4; sequenceNumber += 1) {
    const fields = {
      payloadType: 8,
      marker: false,
      sequenceNumber,
      timestamp: 160 * sequenceNumber,
      ssrc: 5,
    };
    sender.send(buildRtp({ ...fields, payload: Buffer.alloc(160) }), port, '127.0.0.1');
  }
  await vi.waitFor(() => expect(packets).toBe(4));
  expect(endpoint.failedPackets).toBe(2);
  expect(failures).toHaveLength(1);
  await endpoint.close();
  await closed(sender);
});
