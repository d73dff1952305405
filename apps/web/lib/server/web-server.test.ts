import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { readSignedClient } from '@clarion/core/security/client-address';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { secretsOf } from '../security/secrets.ts';
import { createSocketForwarder } from './forward-sockets.ts';
import type { SocketForwarder } from './forward-sockets.ts';
import { createWebServer } from './web-server.ts';
import type { RequestHandler } from './web-server.ts';

const secrets = secretsOf({ CLARION_MASTER_KEY: randomBytes(32).toString('base64') });
const servers: Server[] = [];
const IDLE_MS = 3_000;
let errors: unknown[] = [];
let forwarded: IncomingMessage[] = [];
let upgraded: Socket[] = [];
let sockets: SocketForwarder;
let port = 0;
let nextStarted: (handle: RequestHandler) => void;

const portOf = (server: Server) => (server.address() as AddressInfo).port;
async function listening(server: Server): Promise<Server> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** At the address of realtime: answers requests with their path, and sends back what arrives after an upgrade. */
async function peer(): Promise<Server> {
  const server = createServer((request, response) => {
    forwarded.push(request);
    response.end(request.url);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    forwarded.push(request);
    upgraded.push(socket);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.pipe(socket, { end: false });
  });
  return listening(server);
}

beforeEach(async () => {
  errors = [];
  forwarded = [];
  upgraded = [];
  const target = `http://127.0.0.1:${portOf(await peer())}`;
  const env = { CLARION_TRUSTED_PROXIES: 0 };
  sockets = createSocketForwarder({ target, env, secrets, idleTimeoutMs: IDLE_MS });
  const { promise: pages, resolve } = Promise.withResolvers<RequestHandler>();
  nextStarted = resolve;
  port = portOf(await listening(createWebServer({ sockets, pages, onError: (error) => errors.push(error) })));
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket';

/** A client that sends the head of a request and never closes its side by itself. */
class Client {
  readonly socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  readonly closed = new Promise<void>((resolve) => void this.socket.once('close', () => resolve()));
  text = '';
  constructor(path: string, headers: string) {
    this.socket.on('data', (data) => (this.text += data.toString()));
    this.socket.on('error', () => undefined); // a reset also closes it
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`);
  }
  async receives(text: string): Promise<void> {
    while (!this.text.includes(text)) await once(this.socket, 'data');
  }
  /** A half-open connection does not close by itself: writing shows whether the server has closed its side. */
  async isClosed(): Promise<void> {
    const probe = setInterval(() => this.socket.write(' '), 100);
    await this.closed;
    clearInterval(probe);
  }
}

test.each(['/', '/v1/tenants', '/socket.iox', '/_next/webpack-hmr', '//socket.io', '/app/../socket.io'])(
  'an upgrade of %s is destroyed at once',
  async (path) => {
    const client = new Client(path, UPGRADE);
    await client.isClosed();
    expect(client.text).toBe('');
    expect(forwarded).toEqual([]);
  },
);

test('sockets are forwarded before Next has started, and requests wait for it', async () => {
  const page = new Client('/app', 'Connection: close');
  const socket = new Client('/socket.io?EIO=4&transport=websocket', UPGRADE);
  await socket.receives('101 Switching Protocols');
  socket.socket.write('hello');
  await socket.receives('hello');
  const poll = new Client('/socket.io/?EIO=4&transport=polling', 'Connection: close');
  await poll.isClosed();
  expect(poll.text).toContain('\r\n/socket.io?EIO=4&transport=polling');
  expect(page.text).toBe('');
  nextStarted(async (_, response) => void response.end('a page'));
  await page.isClosed();
  expect(page.text).toContain('a page');
});

test('bytes that follow the head of an upgrade immediately are forwarded', async () => {
  const client = new Client('/socket.io', `${UPGRADE}\r\n\r\nin the same packet`);
  await client.receives('101');
  client.socket.write('later');
  await client.receives('later');
  expect(client.text).toContain('in the same packet');
});

test('a forwarded client cannot choose its address', async () => {
  const spoofed = 'X-Clarion-Peer: 203.0.113.9\r\nX-Clarion-Client: 203.0.113.9 signature';
  for (const how of [UPGRADE, 'Connection: close'])
    await new Client('/socket.io', `${spoofed}\r\n${how}`).receives('HTTP/1.1');
  for (const { headers } of forwarded) {
    expect(readSignedClient(secrets, headers['x-clarion-client'])).toBe('127.0.0.1');
    expect(headers['x-clarion-untrusted-forwarding']).toBe('0');
  }
  await new Client('/socket.io', 'Connection: close\r\nX-Forwarded-For: 203.0.113.9').receives('HTTP/1.1');
  expect(forwarded.map(({ headers }) => headers['x-clarion-untrusted-forwarding'])).toEqual(['0', '0', '1']);
});

test('a connection that realtime ends is closed soon after, even if the client keeps its side open', async () => {
  const client = new Client('/socket.io', UPGRADE);
  await client.receives('101');
  upgraded[0]?.end('bye');
  await client.isClosed();
  expect(client.text).toContain('bye');
});

test('a socket without any traffic is closed', async () => {
  const client = new Client('/socket.io', UPGRADE);
  await client.receives('101');
  await Promise.all([once(client.socket, 'end'), once(upgraded[0] as Socket, 'end')]);
});

test('realtime learns that a client has left', async () => {
  const client = new Client('/socket.io', UPGRADE);
  await client.receives('101');
  client.socket.resetAndDestroy();
  await once(upgraded[0] as Socket, 'end');
});

test('while realtime does not run, a poll is answered with 502 and an upgrade is closed', async () => {
  const [realtime] = servers.slice(-2);
  realtime?.closeAllConnections();
  realtime?.close();
  const poll = new Client('/socket.io', 'Connection: close');
  await poll.isClosed();
  expect(poll.text).toContain('502 Bad Gateway');
  const upgrade = new Client('/socket.io', UPGRADE);
  await upgrade.isClosed();
  expect(upgrade.text).toBe('');
});

test('closing the forwarder closes its sockets', async () => {
  const client = new Client('/socket.io', UPGRADE);
  await client.receives('101');
  sockets.close();
  await client.isClosed();
});

test.each(['/v1/tenants', '/socket.io'])('an offer of HTTP/2 for %s is ignored', async (path) => {
  nextStarted(async ({ url }, response) => void response.end(url));
  const client = new Client(
    path,
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
  );
  await client.receives(`\r\n${path}`);
});

test('a request fails with 500 if Next fails', async () => {
  const defect = new Error('a defect');
  nextStarted(() => Promise.reject(defect));
  const client = new Client('/', 'Connection: close');
  await client.isClosed();
  expect(client.text).toContain('500 Internal Server Error');
  expect(errors).toEqual([defect]);
});
