import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openStream } from './stream.ts';
import { tcpKind } from './tcp.ts';
import type { Peer, Transport } from './transport.ts';

const OPTIONS = 'OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n';
const PING = '\r\n\r\n';
const closing: (() => Promise<unknown>)[] = [];

afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** A transport, and the messages that it receives. */
async function listening(): Promise<{ transport: Transport; message: () => Promise<Peer> }> {
  const waiting: ((peer: Peer) => void)[] = [];
  const transport = await openStream(tcpKind, '127.0.0.1', 0, {
    message: (_, peer) => waiting.shift()?.(peer),
    dropped: () => undefined,
  });
  closing.push(() => transport.close());
  return { transport, message: () => new Promise((resolve) => waiting.push(resolve)) };
}

async function connectTo(transport: Transport): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port: transport.port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  closing.push(async () => socket.destroy());
  return socket;
}

describe('a keep-alive', () => {
  it('is answered', async () => {
    const { transport } = await listening();
    const socket = await connectTo(transport);
    for (let i = 0; i < 3; i++) {
      socket.write(PING);
      const [pong] = (await once(socket, 'data')) as [Buffer];
      expect(pong.toString()).toBe('\r\n');
    }
  });

  it('queues at most one pong, however many a peer sends', async () => {
    const { transport, message } = await listening();
    const socket = await connectTo(transport);
    const arrived = message();
    const pings = 50_000;
    socket.write(PING.repeat(pings) + OPTIONS);
    transport.send('SIP/2.0 200 OK\r\n\r\n', await arrived, () => undefined);
    let received = '';
    for await (const data of socket) {
      received += String(data);
      if (received.includes('200 OK')) break;
    }
    expect(received).toMatch(/^(\r\n)+SIP/);
    // One per chunk that was read, of which there are a few.
    expect(received.indexOf('SIP')).toBeLessThan(pings / 50);
  });
});
