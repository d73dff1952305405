/** Hostile messages to the port of agents' sockets: each closes its own connection and affects no other. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { mediaAuthorization, mediaSocketPath } from '@clarion/protocol/media';
import { io } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAX_UNAUTHENTICATED_PER_ADDRESS } from '../src/sockets/unauthenticated.ts';
import type { AppSocket } from './app-socket.ts';
import { MEDIA_SECRET, RealtimeFixture } from './fixture.ts';

/** socket-servers.ts closes a connection that has entered no namespace after 10 s. */
const CONNECT_TIMEOUT_TEST_MS = 15_000;
const TOO_LARGE = 1009; // RFC 6455, section 7.4.1

let fixture: RealtimeFixture;
let node: Awaited<ReturnType<RealtimeFixture['startNode']>>;
let bystander: AppSocket;
const opened = new Set<WebSocket>();

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  await fixture.agent('bystander');
});
afterAll(() => fixture.close());

beforeEach(async () => {
  bystander = await fixture.app(node, 'bystander');
  await bystander.session();
});
/** After every attack the process is alive and its other sockets are served. */
afterEach(async () => {
  for (const socket of opened) socket.close();
  opened.clear();
  expect(await bystander.send('resync', {})).toMatchObject({ ok: true });
  bystander.close();
});

/** An engine.io WebSocket without a client that follows the protocol. */
async function rawSocket(): Promise<WebSocket> {
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/socket.io?EIO=4&transport=websocket`);
  opened.add(socket);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('message', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('refused')), { once: true });
  });
  return socket;
}

const closed = (socket: WebSocket) =>
  new Promise<number>((resolve) =>
    socket.addEventListener('close', ({ code }) => resolve(code), { once: true }),
  );

const nextMessage = (socket: WebSocket) =>
  new Promise<string>((resolve) =>
    socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true }),
  );

describe('an unauthenticated socket', () => {
  test('is rejected by the default namespace', async () => {
    const socket = await rawSocket();
    const answer = nextMessage(socket);
    socket.send('40');
    expect(await answer).toBe('44{"message":"unauthorized"}');
  });

  test('that sends an event of 100,000 arguments is closed', async () => {
    const socket = await rawSocket();
    const gone = closed(socket);
    socket.send('40');
    socket.send(`42["a"${',1'.repeat(50_000)}]`);
    await gone;
  });

  test('that sends 200 KB is closed before the message is read', async () => {
    const socket = await rawSocket();
    const gone = closed(socket);
    socket.send(`42["a"${',1'.repeat(100_000)}]`);
    expect(await gone).toBe(TOO_LARGE);
  });

  test('that sends a handshake larger than any of ours is closed', async () => {
    const socket = await rawSocket();
    const gone = closed(socket);
    socket.send(`40/agent,{"token":"${'a'.repeat(16 * 1024)}"}`);
    await gone;
  });

  test('that keeps connecting to namespaces is closed', async () => {
    const socket = await rawSocket();
    const gone = closed(socket);
    for (let count = 0; count < 20; count += 1) socket.send('40/agent,{"token":"no","deviceId":"d"}');
    await gone;
  });

  test(
    'that joins no namespace is closed after ten seconds',
    async () => {
      const socket = await rawSocket();
      const openedAt = performance.now();
      await closed(socket);
      expect(performance.now() - openedAt).toBeLessThan(12_000);
    },
    CONNECT_TIMEOUT_TEST_MS,
  );

  test('is rejected beyond the limit per address, until another one closes', async () => {
    const waiting = await Promise.all(Array.from({ length: MAX_UNAUTHENTICATED_PER_ADDRESS }, rawSocket));
    await expect(rawSocket()).rejects.toThrow('refused');
    const [first] = waiting;
    if (!first) throw new Error('no socket');
    const gone = closed(first);
    first.close();
    await gone;
    await fixture.until(() => rawSocket().catch(() => undefined), 'a socket to be accepted again');
  });
});

test('an agent who sends thousands of arguments loses the connection', async () => {
  await fixture.agent('eve');
  const app = await fixture.app(node, 'eve');
  await app.session();
  const gone = new Promise((resolve) => app.socket.once('disconnect', resolve));
  app.socket.send(...Array.from({ length: 20_000 }, () => 1));
  await gone;
  app.close();
});

test.each(['/', '/elsewhere', '/socket.iox', '/v1/../socket.io'])(
  'an upgrade of %s is closed immediately',
  async (path) => {
    const socket = connect({ host: '127.0.0.1', port: node.port, allowHalfOpen: true });
    await once(socket, 'connect');
    const ended = once(socket, 'close');
    socket.on('end', () => socket.end());
    socket.resume();
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await ended;
    expect(socket.bytesRead).toBe(0);
  },
);

test('a media node that sends invalid messages, or ignores the replies, affects no other socket', async () => {
  const socket = io(`${node.url}/media`, {
    path: mediaSocketPath,
    addTrailingSlash: false,
    auth: { nodeId: 'odd', startedAt: new Date().toISOString(), capacity: 1 },
    extraHeaders: { authorization: mediaAuthorization(MEDIA_SECRET) },
    forceNew: true,
    transports: ['websocket'],
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  for (const message of ['legs', 'invite', 'fact', 'load', 'error', 'nothing']) {
    for (const payload of [null, [], {}, 'text', 7]) socket.emit(message, payload);
    socket.emit(message);
    socket.emit(message, () => undefined);
  }
  // Acknowledged after everything before it.
  expect(await socket.timeout(5_000).emitWithAck('legs', [])).toEqual({ ok: true });
  socket.disconnect();
});
