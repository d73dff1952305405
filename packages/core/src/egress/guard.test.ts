/** A consumer must not reach our own network through us: hostile URLs against a real listener on this machine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import type { Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  lookAlikes,
  notationsOfIPv4,
  privateIPv4,
  privateIPv6,
  tricks,
} from '@clarion/testkit/attacks/hostile-urls';
import { createEgress, EgressRefused } from './guard.ts';
import type { Egress, Resolve } from './guard.ts';
import { assertPublicHost, assertPublicUrl } from './assert-public.ts';
import { isPublicAddress } from './public-address.ts';

/** Listens on every address of this machine and counts whoever connects. */
let canary: Server;
let canaryPort: number;
let touched = 0;
let egress: Egress;
const noNames: Resolve = () => Promise.reject(new Error('no such name'));

beforeAll(async () => {
  canary = createTcpServer((socket) => {
    touched += 1;
    socket.destroy();
  });
  canary.listen(0, '::');
  await once(canary, 'listening');
  canaryPort = (canary.address() as AddressInfo).port;
  egress = createEgress({ allowPrivate: false, resolve: noNames });
});
afterAll(async () => {
  await egress.close();
  canary.close();
});

const post = (through: Egress, url: string) =>
  through.post(url, { headers: {}, body: '{"secret":true}', timeoutMs: 2_000, maxBodyBytes: 100 });

describe('addresses that are not public', () => {
  const hosts = [
    ...privateIPv4.flatMap(notationsOfIPv4),
    ...privateIPv6.map((address) => `[${address}]`),
    ...privateIPv6.map((address) => `[${address.toUpperCase()}]`),
  ];
  test('are refused in every notation, and not one connection is made', async () => {
    const urls = [...hosts.map((host) => `https://${host}:${canaryPort}/`), ...tricks(canaryPort)];
    expect(urls.length).toBeGreaterThan(480);
    for (const url of urls) {
      await expect(post(egress, url), url).rejects.toThrow(EgressRefused);
      await expect(
        assertPublicUrl('url', url, { allowPrivate: false, resolve: noNames }),
        url,
      ).rejects.toMatchObject({
        status: 400,
        details: { field: 'url' },
      });
    }
    expect(touched).toBe(0);
  });

  test('are refused as trunk hosts too', async () => {
    const check = { allowPrivate: false, resolve: noNames };
    const bare = hosts.map((host) => host.replaceAll(/[[\]]/g, ''));
    for (const host of [...hosts, ...bare, 'sip.example.com/path', 'a b', 'user@10.0.0.1', '']) {
      await expect(assertPublicHost('host', host, check), host).rejects.toMatchObject({
        details: { field: 'host' },
      });
    }
  });

  test('are refused as answers to a look-up, alone or among public ones', async () => {
    for (const address of [...privateIPv4, ...privateIPv6, ...privateIPv4.map((ip) => `::ffff:${ip}`)]) {
      for (const answer of [[address], ['93.184.215.14', address], [address, '2606:4700::1111']]) {
        const rebound = createEgress({ allowPrivate: false, resolve: async () => answer });
        await expect(post(rebound, `https://hook.example:${canaryPort}/`)).rejects.toThrow(EgressRefused);
        await rebound.close();
      }
    }
    expect(touched).toBe(0);
  });

  test('are refused when a name turns to them after it was saved', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    const turning: Resolve = async () => answers.shift() ?? ['127.0.0.1'];
    const url = `https://rebinding.example:${canaryPort}/`;
    await assertPublicUrl('url', url, { allowPrivate: false, resolve: turning });
    const later = createEgress({ allowPrivate: false, resolve: turning });
    await expect(post(later, url)).rejects.toThrow(EgressRefused);
    await expect(post(later, url)).rejects.toThrow(EgressRefused);
    expect(touched).toBe(0);
    await later.close();
  });

  test('are refused when a name of the machine itself leads to them', async () => {
    for (const name of ['localhost', 'localhost.', 'LOCALHOST', 'foo.localhost']) {
      const local = createEgress({ allowPrivate: false, resolve: async () => ['127.0.0.1', '::1'] });
      await expect(post(local, `https://${name}:${canaryPort}/`)).rejects.toThrow(EgressRefused);
      await local.close();
    }
    expect(touched).toBe(0);
  });
});

describe('public addresses that look private', () => {
  test.each(lookAlikes)('%s may be a webhook', async (address) => {
    expect(isPublicAddress(address)).toBe(true);
    const url = `https://${address.includes(':') ? `[${address}]` : address}/hook`;
    await assertPublicUrl('url', url, { allowPrivate: false, resolve: noNames });
    await assertPublicHost('host', address, { allowPrivate: false, resolve: noNames });
  });

  test.each(['hooks.acme.com', '10.0.0.1.nip.example', '127.0.0.1.example.com', 'xn--bcher-kva.example'])(
    'the name %s may be a webhook while its look-up says so, or says nothing',
    async (name) => {
      const url = `https://${name}/hook`;
      await assertPublicUrl('url', url, { allowPrivate: false, resolve: async () => ['93.184.215.14'] });
      await assertPublicUrl('url', url, { allowPrivate: false, resolve: noNames });
      await assertPublicHost('host', name, { allowPrivate: false, resolve: noNames });
    },
  );
});

test('a look-up that hangs does not hold up a save for long', async () => {
  const silent: Resolve = () => new Promise(() => undefined);
  const startedAt = performance.now();
  await assertPublicUrl('url', 'https://silent.example/', { allowPrivate: false, resolve: silent });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test('connects to the address that was checked, not to a second answer', async () => {
  const answers = ['127.0.0.1'];
  const asked: string[] = [];
  const server = createServer((request, response) => response.end(request.headers.host));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const development = createEgress({
    allowPrivate: true,
    resolve: async (name) => {
      asked.push(name);
      return answers.splice(0);
    },
  });
  const answer = await post(development, `http://only-once.example:${port}/`);
  expect(answer).toEqual({ status: 200, text: `only-once.example:${port}` });
  expect(asked).toEqual(['only-once.example']);
  await development.close();
  server.closeAllConnections();
  server.close();
});

test('the development exception reaches private addresses and plain http, and still no other scheme', async () => {
  const server = createServer((_, response) => response.end('here'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const development = createEgress({ allowPrivate: true });
  for (const host of ['127.0.0.1', 'localhost', '2130706433'])
    expect(await post(development, `http://${host}:${port}/`)).toEqual({ status: 200, text: 'here' });
  await expect(post(development, 'file:///etc/passwd')).rejects.toThrow(EgressRefused);
  await expect(post(development, `ftp://127.0.0.1:${port}/`)).rejects.toThrow(EgressRefused);
  await development.close();
  server.closeAllConnections();
  server.close();
});

test('the canary does notice who comes: with the development exception it is touched', async () => {
  const development = createEgress({ allowPrivate: true });
  await expect(post(development, `https://127.0.0.1:${canaryPort}/`)).rejects.toThrow();
  expect(touched).toBe(1);
  await development.close();
});
