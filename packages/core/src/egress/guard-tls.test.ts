/** https through the guard: the certificate must match the name, although the socket connects to the checked address. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEgress } from './guard.ts';

const fixture = (name: string) => readFile(new URL(`__fixtures__/${name}`, import.meta.url), 'utf8');

let server: Server;
let port: number;
let ca: string;
let served: string[];

beforeAll(async () => {
  ca = await fixture('hooks-cert.pem');
  served = [];
  server = createServer({ cert: ca, key: await fixture('hooks-key.pem') }, (request, response) => {
    served.push(request.headers.host ?? '');
    response.end('safe');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function post(host: string, options: { ca?: string }) {
  const egress = createEgress({ allowPrivate: true, resolve: async () => ['127.0.0.1'], ...options });
  try {
    const request = { headers: {}, body: '{}', timeoutMs: 5_000, maxBodyBytes: 100 };
    return await egress.post(`https://${host}:${port}/`, request);
  } finally {
    await egress.close();
  }
}

test('the name of the URL is sent and its certificate is verified', async () => {
  expect(await post('hooks.acme.test', { ca })).toEqual({ status: 200, text: 'safe' });
  expect(served).toEqual([`hooks.acme.test:${port}`]);
});

test('a certificate for another name or without a trusted issuer is rejected before anything is sent', async () => {
  await expect(post('other.acme.test', { ca })).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
  await expect(post('hooks.acme.test', {})).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(served).toHaveLength(1);
});
