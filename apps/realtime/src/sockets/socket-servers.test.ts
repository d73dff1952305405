/** The limit of unauthenticated sockets per address, and what refused connections leave in the log. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { Writable } from 'node:stream';
import { signedClient } from '@clarion/core/security/client-address';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { mediaSocketPath } from '@clarion/protocol/media';
import { CLIENT_ADDRESS_HEADER, UNTRUSTED_FORWARDING_HEADER } from '@clarion/protocol/socket';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LimitedWarnings } from '../lib/limited-warnings.ts';
import { createSocketServers } from './socket-servers.ts';
import type { SocketServers } from './socket-servers.ts';
import { MAX_UNAUTHENTICATED_PER_ADDRESS } from './unauthenticated.ts';

const secrets = createSecretBox([Buffer.alloc(32, 1).toString('base64')]);

let http: Server;
let servers: SocketServers;
let host: string;
let lines: { address: string; msg: string }[];

beforeEach(async () => {
  lines = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  http = createServer();
  servers = createSocketServers(http, {
    mediaSecret: 'the secret of media nodes',
    secrets,
    warnings: new LimitedWarnings(pino(stream)),
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  host = typeof address === 'object' ? `127.0.0.1:${address?.port}` : '';
});
afterEach(async () => {
  http.closeAllConnections();
  await Promise.all([servers.people.close(), servers.media.close()]);
});

/** Uses long polling: the handshake is answered immediately, and its connection stays open. */
const connect = async (named: string, untrusted: string) => {
  const { status } = await fetch(`http://${host}/socket.io?EIO=4&transport=polling`, {
    headers: { [CLIENT_ADDRESS_HEADER]: named, [UNTRUSTED_FORWARDING_HEADER]: untrusted },
  });
  return status;
};

test('sockets beyond the limit per address are logged as one line, which names the setting for an unknown proxy', async () => {
  for (const [client, untrusted] of [
    ['192.0.2.1', '0'],
    ['192.0.2.2', '1'],
  ] as const) {
    const open = () => connect(signedClient(secrets, client), untrusted);
    await Promise.all(Array.from({ length: MAX_UNAUTHENTICATED_PER_ADDRESS }, open));
    expect(await Promise.all(Array.from({ length: 20 }, open))).not.toContain(200);
  }
  expect(lines.map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(lines[0]?.msg).not.toContain('CLARION_TRUSTED_PROXIES');
  expect(lines[1]?.msg).toContain('set CLARION_TRUSTED_PROXIES');
});

test('a client that claims another address with every socket is counted by its own', async () => {
  const named = (host: number) => connect(`192.0.2.${host % 256} forged${host}`, '0');
  const statuses = await Promise.all(
    Array.from({ length: MAX_UNAUTHENTICATED_PER_ADDRESS + 20 }, (_, index) => named(index)),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(MAX_UNAUTHENTICATED_PER_ADDRESS);
  expect(lines.map(({ address }) => address)).toEqual(['127.0.0.1']);
});

test('media nodes without the secret are logged as one line', async () => {
  const refused = async () => {
    const socket = new WebSocket(`ws://${host}${mediaSocketPath}?EIO=4&transport=websocket`);
    await once(socket, 'error');
  };
  await Promise.all(Array.from({ length: 10 }, refused));
  expect(lines.map(({ msg }) => msg)).toEqual(['media node rejected: wrong secret']);
});
