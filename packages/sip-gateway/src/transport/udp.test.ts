import dgram from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isMessage, probeUdp } from './udp.ts';

describe('a datagram', () => {
  it.each([
    ['with a message', 300, 5060, true],
    ['that is a keep-alive', 4, 5060, false],
    ['from port 0, to which no response can be sent', 300, 0, false],
  ])('%s', (_, bytes, port, expected) => {
    expect(isMessage(bytes, port)).toBe(expected);
  });
});

describe('a probe', () => {
  /** Longer than the test may take. Ms. */
  const never = 60_000;
  const probed = (address: string, port: number) =>
    new Promise<void>((resolve) => probeUdp({ protocol: 'udp', address, port }, never, resolve));

  it('reports a destination without a route', async () => {
    // A socket cannot be connected to the broadcast address, whatever routes the machine has.
    await probed('255.255.255.255', 5060);
  });

  it('reports a closed port', async () => {
    const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    await new Promise<void>((resolve) => socket.close(resolve));
    await probed('127.0.0.1', port);
  });
});
