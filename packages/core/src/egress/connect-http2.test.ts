/** HTTP/2 through the guard: the same checks as for other requests, and the certificate must match the name. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectHttp2 } from './connect-http2.ts';
import type { Http2ConnectOptions } from './connect-http2.ts';
import { EgressRefused } from './guard.ts';

const fixture = (name: string) => readFile(new URL(`__fixtures__/${name}`, import.meta.url), 'utf8');

let server: Http2SecureServer;
let port: number;
let ca: string;
let connections = 0;

beforeAll(async () => {
  ca = await fixture('hooks-cert.pem');
  server = createSecureServer({ cert: ca, key: await fixture('hooks-key.pem') }, (_, response) =>
    response.end('safe'),
  );
  server.on('connection', () => (connections += 1));
  server.on('sessionError', () => {});
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const toLoopback: Http2ConnectOptions = { allowPrivate: true, resolve: async () => ['127.0.0.1'] };

/** The status of a response, or the error of the connection. */
async function get(url: string, options: Http2ConnectOptions): Promise<number> {
  const session = connectHttp2(url, options);
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({ ':path': '/' });
      stream.on('error', () => {}); // the session's error says why
      stream.on('response', (headers) => resolve(Number(headers[':status'])));
      stream.resume();
    });
  } finally {
    session.destroy();
  }
}

test('the name of the URL is sent and its certificate is verified', async () => {
  expect(await get(`https://hooks.acme.test:${port}`, { ...toLoopback, ca })).toBe(200);
  await expect(get(`https://other.acme.test:${port}`, { ...toLoopback, ca })).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
  await expect(get(`https://hooks.acme.test:${port}`, toLoopback)).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
});

test('addresses that are not public are never connected to', async () => {
  const strict = { allowPrivate: false, resolve: async () => ['127.0.0.1'], ca };
  const before = connections;
  await expect(get(`https://hooks.acme.test:${port}`, strict)).rejects.toBeInstanceOf(EgressRefused);
  for (const url of [
    `https://127.0.0.1:${port}`,
    `https://[::1]:${port}`,
    `https://0x7f000001:${port}`,
    `http://93.184.215.14`,
  ])
    expect(() => connectHttp2(url, strict)).toThrow(EgressRefused);
  expect(connections).toBe(before);
});
