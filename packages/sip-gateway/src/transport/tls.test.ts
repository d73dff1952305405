import { once } from 'node:events';
import type net from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { selfSigned, type KeyAndCert } from './self-signed.ts';
import { openStream } from './stream.ts';
import { tlsKind } from './tls.ts';
import type { Transport } from './transport.ts';

const HOUR_MS = 3_600_000;
/** From a moment ago: OpenSSL reads a clock that is a few milliseconds behind. */
const certificateFor = (hosts: string[], from = Date.now() - 1_000, until = Date.now() + HOUR_MS) =>
  selfSigned(hosts, new Date(from), new Date(until));
const OPTIONS = 'OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n';
const closing: (() => Promise<unknown>)[] = [];

afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** A carrier that counts its connections and messages. */
async function carrierWith(certificate: KeyAndCert) {
  const carrier = {
    port: 0,
    connections: 0,
    names: [] as string[],
    sockets: [] as tls.TLSSocket[],
    received: '',
  };
  const messages: (() => void)[] = [];
  const server = tls.createServer(certificate, (socket) => {
    carrier.connections += 1;
    carrier.names.push(String(socket.servername));
    carrier.sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      carrier.received += String(data);
      messages.splice(0).forEach((resolve) => resolve());
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  carrier.port = (server.address() as net.AddressInfo).port;
  closing.push(async () => {
    carrier.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    ...carrier,
    state: carrier,
    message: () => new Promise<void>((resolve) => messages.push(resolve)),
  };
}

async function transportTrusting(...trusted: KeyAndCert[]): Promise<Transport> {
  const own = certificateFor(['127.0.0.1']);
  const ca = trusted.map(({ cert }) => cert).join('\n');
  const transport = await openStream(
    tlsKind(ca === '' ? own : { ...own, ca }),
    '127.0.0.1',
    0,
    { message: () => undefined, dropped: () => undefined },
    { clock: systemClock, isKnown: () => true },
  );
  closing.push(() => transport.close());
  return transport;
}

const peer = (port: number, host?: string) => ({
  protocol: 'tls' as const,
  address: '127.0.0.1',
  port,
  ...(host === undefined ? {} : { host }),
});

/** The code of the error, or `sent` once the carrier has received the message. */
async function outcome(
  transport: Transport,
  carrier: Awaited<ReturnType<typeof carrierWith>>,
  host?: string,
) {
  return await Promise.race([
    carrier.message().then(() => 'sent'),
    new Promise((resolve) =>
      transport.send(OPTIONS, peer(carrier.port, host), (error) =>
        resolve((error as NodeJS.ErrnoException).code),
      ),
    ),
  ]);
}

describe('the certificate of a carrier', () => {
  it('is verified against the host name of the trunk, which is also sent as SNI', async () => {
    const certificate = certificateFor(['sip.carrier.example']);
    const carrier = await carrierWith(certificate);
    const transport = await transportTrusting(certificate);
    expect(await outcome(transport, carrier, 'sip.carrier.example')).toBe('sent');
    expect(carrier.state.names).toEqual(['sip.carrier.example']);
  });

  it('is verified against the address if the trunk has one', async () => {
    const certificate = certificateFor(['127.0.0.1']);
    const carrier = await carrierWith(certificate);
    expect(await outcome(await transportTrusting(certificate), carrier)).toBe('sent');
  });

  it.each([
    ['of another host', ['other.example'], 'sip.carrier.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['without the address', ['sip.carrier.example'], undefined, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('%s is rejected, with a code that says so', async (_what, names, host, code) => {
    const certificate = certificateFor(names);
    const carrier = await carrierWith(certificate);
    expect(await outcome(await transportTrusting(certificate), carrier, host)).toBe(code);
    expect(carrier.state.received).toBe('');
  });

  it('that has expired, or is not trusted, is rejected', async () => {
    const expired = certificateFor(['a.example'], Date.now() - 2 * HOUR_MS, Date.now() - HOUR_MS);
    const transport = await transportTrusting(expired);
    expect(await outcome(transport, await carrierWith(expired), 'a.example')).toBe('CERT_HAS_EXPIRED');
    const unknown = await carrierWith(certificateFor(['a.example']));
    expect(await outcome(await transportTrusting(), unknown, 'a.example')).toBe(
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    );
  });
});

describe('a connection', () => {
  it('serves all requests to one host, and no other host at the same address', async () => {
    const certificate = certificateFor(['a.example', 'b.example']);
    const carrier = await carrierWith(certificate);
    const transport = await transportTrusting(certificate);
    for (const host of ['a.example', 'a.example', 'b.example', 'a.example'])
      expect(await outcome(transport, carrier, host)).toBe('sent');
    expect(carrier.state.names).toEqual(['a.example', 'b.example']);
    expect(await outcome(transport, carrier, 'c.example')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('that the carrier closes is opened again for the next request', async () => {
    const certificate = certificateFor(['a.example']);
    const carrier = await carrierWith(certificate);
    const transport = await transportTrusting(certificate);
    for (let connections = 1; connections <= 3; connections += 1) {
      expect(await outcome(transport, carrier, 'a.example')).toBe('sent');
      expect(carrier.state.connections).toBe(connections);
      const [socket] = carrier.state.sockets.splice(0);
      if (!socket) throw new Error('the carrier has no connection');
      const closed = once(socket, 'close');
      socket.end();
      await closed;
    }
  });
});
