import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { MAX_CONNECTIONS_PER_ADDRESS } from './inbound-places.ts';
import { selfSigned } from './self-signed.ts';
import type { StreamKind } from './stream.ts';
import {
  FIRST_MESSAGE_TIMEOUT_MS,
  HANDSHAKE_TIMEOUT_MS,
  STRANGER_IDLE_TIMEOUT_MS,
  openStream,
} from './stream.ts';
import { tcpKind } from './tcp.ts';
import { tlsKind } from './tls.ts';
import type { Peer, Transport } from './transport.ts';

const OPTIONS = 'OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n';
const PING = '\r\n\r\n';
const closing: (() => Promise<unknown>)[] = [];

afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** A transport with a manual clock, and the messages that it receives. */
async function listening(kind: StreamKind = tcpKind) {
  const clock = new ManualClock(1);
  const waiting: ((peer: Peer) => void)[] = [];
  let known = false;
  const transport = await openStream(
    kind,
    '127.0.0.1',
    0,
    { message: (_, peer) => waiting.shift()?.(peer), dropped: () => undefined },
    { clock, isKnown: () => known },
  );
  closing.push(() => transport.close());
  return {
    transport,
    clock,
    message: () => new Promise<Peer>((resolve) => waiting.push(resolve)),
    acceptCall: () => (known = true),
  };
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

describe('an inbound connection', () => {
  it('without a first message is closed, even if it sends keep-alives', async () => {
    const { transport, clock } = await listening();
    const socket = await connectTo(transport);
    socket.write(PING);
    await once(socket, 'data');
    const closed = once(socket, 'close');
    clock.advance(FIRST_MESSAGE_TIMEOUT_MS);
    await closed;
    expect(clock.pending).toBe(0);
  });

  it('of a stranger is closed when it has sent no message for long', async () => {
    const { transport, clock, message } = await listening();
    const socket = await connectTo(transport);
    for (let i = 0; i < 3; i++) {
      const arrived = message();
      socket.write(OPTIONS);
      const peer = await arrived;
      clock.advance(STRANGER_IDLE_TIMEOUT_MS - 1);
      expect(transport.isOpen(peer)).toBe(true);
    }
    socket.write(PING);
    await once(socket, 'data');
    const closed = once(socket, 'close');
    clock.advance(1);
    await closed;
  });

  it('from an address with an accepted call may be idle', async () => {
    const { transport, clock, message, acceptCall } = await listening();
    const socket = await connectTo(transport);
    const arrived = message();
    socket.write(OPTIONS);
    const peer = await arrived;
    acceptCall();
    clock.advance(10 * STRANGER_IDLE_TIMEOUT_MS);
    expect(transport.isOpen(peer)).toBe(true);
  });

  it('counts from before its TLS handshake, which has a time limit', async () => {
    const certificate = selfSigned(['127.0.0.1'], new Date(), new Date(Date.now() + 60_000));
    const { transport, clock } = await listening(tlsKind(certificate));
    const sockets = [];
    for (let i = 0; i < MAX_CONNECTIONS_PER_ADDRESS; i++) sockets.push(await connectTo(transport));
    const excess = await connectTo(transport);
    excess.resume();
    if (!excess.closed) await once(excess, 'close');
    const closed = sockets.map((socket) => once(socket.resume(), 'close'));
    clock.advance(HANDSHAKE_TIMEOUT_MS);
    await Promise.all(closed);
    const next = tls.connect({ host: '127.0.0.1', port: transport.port, rejectUnauthorized: false });
    next.on('error', () => undefined);
    await once(next, 'secureConnect');
    closing.push(async () => next.destroy());
    next.write(PING);
    await once(next, 'data');
    clock.advance(HANDSHAKE_TIMEOUT_MS);
    next.write(PING);
    await once(next, 'data');
  });
});
