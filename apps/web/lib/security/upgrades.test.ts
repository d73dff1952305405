import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardUpgrades } from './upgrades.ts';

let server: Server;
const taken: { url: string | undefined; peer: unknown }[] = [];

beforeAll(async () => {
  guardUpgrades();
  server = createServer((_, response) => response.end('a page'));
  // As Next does: an upgrade that is not rewritten to another server is left alone.
  server.on('upgrade', ({ url, headers }, socket) => {
    taken.push({ url, peer: headers['x-clarion-peer'] });
    if (url?.startsWith('/socket.io')) socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => server.close());

/** Sends the head of a request and keeps its side open. @returns what arrived until the server closed the connection */
async function send(path: string, headers: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  let text = '';
  socket.on('data', (data) => (text += data.toString()));
  socket.on('error', () => undefined); // a reset also closes it
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`);
  // A half-open connection does not close by itself: writing shows whether the server has closed its side.
  const probe = setInterval(() => socket.write(' '), 100);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(probe);
  return text;
}

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket';

test.each(['/', '/v1/tenants', '/socket.iox', '/_next/webpack-hmr', '//socket.io', '/app/../socket.io'])(
  'an upgrade of %s is destroyed at once',
  async (path) => {
    expect(await send(path, UPGRADE)).toBe('');
  },
);

test('a socket upgrade is forwarded with the client address, and closed soon after realtime ends it', async () => {
  taken.length = 0;
  expect(await send('/socket.io?EIO=4', `${UPGRADE}\r\nX-Clarion-Peer: 203.0.113.9`)).toContain('101');
  expect(taken).toEqual([{ url: '/socket.io?EIO=4', peer: '127.0.0.1' }]);
});

test('requests without an upgrade get a response', async () => {
  expect(await send('/', 'Connection: close')).toContain('a page');
});
