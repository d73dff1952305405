/** The checklist of a WhatsApp line over the API, with a Graph API that answers what each test sets. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGraphClient } from '@clarion/core/whatsapp/graph-client';
import { createLineReader, LINE_READING_VALID_MS } from '@clarion/core/whatsapp/line-reader';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60_000;
const TOKEN = 'EAAG-secret-token';
const path = { tenantRef: 'shop', channelRef: 'wa' };
const number = { id: '1001', display_phone_number: '+44 7700 900001', verified_name: 'Acme' };
const settings = {
  calling: { status: 'ENABLED', call_icon_visibility: 'DEFAULT', callback_permission_status: 'ENABLED' },
};

let web: Web;
let graph: Server;
let key: string;
let rival: string;
let requests: string[];
let answer: (url: string) => { status?: number; body: object };
beforeAll(async () => {
  graph = createServer((request, response) => {
    const url = request.url ?? '';
    requests.push(`${request.headers.authorization} ${url}`);
    const { status = 200, body } = answer(url);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => graph.listen(0, '127.0.0.1', listening));
  const { port } = graph.address() as AddressInfo;
  web = await startWeb({
    CLARION_GRAPH_URL: `http://127.0.0.1:${port}`,
    CLARION_ALLOW_PRIVATE_EGRESS: '1',
    CLARION_PRODUCTION: '0',
  });
  key = (await createTenantFixture(web, 'acme')).key;
  rival = (await createTenantFixture(web, 'rival')).key;
});
afterAll(async () => {
  await web.stop();
  await new Promise((closed) => graph.close(closed));
});
beforeEach(async () => {
  requests = [];
  answer = (url) => ({ body: url.includes('/settings') ? settings : number });
  // Readings are kept for a while, so each test has a time of its own.
  clock += DAY_MS;
  web.setNow(new Date(clock));
  await put();
  await web.runtime.db.whatsAppEvent.deleteMany();
});
let clock = NOW.getTime();
const later = (ms: number) => web.setNow(new Date(clock + ms));

const put = (credentials: object | null = { access_token: TOKEN }) =>
  call('putChannel', {
    key,
    path,
    body: { type: 'WHATSAPP', address: '+447700900001', provider_account_id: '1001', credentials },
  });
const status = (as = key, of: Record<string, string> = path) =>
  call('getWhatsAppStatus', { key: as, path: of });
const checksOf = async () =>
  Object.fromEntries(
    (await status()).json.whatsAppStatus.checks.map(({ check, state }) => [check, state] as const),
  );

test('a line that works, read from Meta with the token of the line', async () => {
  const { json } = await status();
  expect(json.whatsAppStatus).toMatchObject({
    channelRef: 'wa',
    checkedAt: new Date(clock).toISOString(),
    displayPhoneNumber: '+44 7700 900001',
    verifiedName: 'Acme',
    lastWebhookAt: null,
  });
  expect(await checksOf()).toEqual({
    ACCESS_TOKEN: 'OK',
    NUMBER: 'OK',
    CALLING: 'OK',
    WEBHOOK: 'UNKNOWN',
    CALL_ICON: 'OK',
    CALLBACK_PERMISSION: 'OK',
  });
  expect(requests).toHaveLength(2);
  for (const request of requests) expect(request).toMatch(new RegExp(`^Bearer ${TOKEN} /v\\d+\\.0/1001`));
});

test('Meta is asked once, however often and concurrently the status is read, until the reading is old', async () => {
  await Promise.all([status(), status(), status()]);
  later(LINE_READING_VALID_MS - 1);
  await status();
  expect(requests).toHaveLength(2);
  later(LINE_READING_VALID_MS);
  await status();
  expect(requests).toHaveLength(4);
});

test('a token that was just replaced is used at once', async () => {
  await status();
  await put({ access_token: 'EAAG-other' });
  await status();
  expect(requests.filter((request) => request.startsWith('Bearer EAAG-other '))).toHaveLength(2);
});

test('a rejected token is not repeated in the response', async () => {
  const error = { code: 190, message: `Malformed access token ${TOKEN}` };
  answer = () => ({ status: 401, body: { error } });
  const { text, json } = await status();
  expect(text).not.toContain(TOKEN);
  expect(json.whatsAppStatus.checks[0]).toMatchObject({ check: 'ACCESS_TOKEN', state: 'FAILED' });
});

test('a line without a token is not asked about', async () => {
  await put(null);
  expect(await checksOf()).toMatchObject({ ACCESS_TOKEN: 'FAILED', NUMBER: 'UNKNOWN', CALLING: 'UNKNOWN' });
  expect(requests).toEqual([]);
});

test('a webhook of the last 7 days is enough', async () => {
  const { db, now } = web.runtime;
  const channel = await db.channel.findUniqueOrThrow({
    where: { providerAccountId: '1001' },
    include: { tenant: true },
  });
  const received = (daysAgo: number) =>
    db.whatsAppEvent.create({
      data: {
        consumerId: channel.tenant.consumerId,
        channelId: channel.id,
        whatsAppCallId: 'wacid.A',
        type: 'connect',
        digest: Buffer.from(`${daysAgo}`),
        payload: {},
        receivedAt: new Date(now().getTime() - daysAgo * DAY_MS),
      },
    });
  await received(8);
  expect(await checksOf()).toMatchObject({ WEBHOOK: 'UNKNOWN' });
  const { receivedAt } = await received(6);
  expect(await checksOf()).toMatchObject({ WEBHOOK: 'OK' });
  expect((await status()).json.whatsAppStatus.lastWebhookAt).toBe(receivedAt.toISOString());
});

test('a phone line has no status at WhatsApp, and another account has no such line', async () => {
  expectError(await status(key, { ...path, channelRef: 'main' }), 409, 'unsupported_channel');
  expectError(await status(key, { ...path, channelRef: 'none' }), 404, 'not_found');
  expectError(await status(rival), 404, 'not_found');
  expect(requests).toEqual([]);
});

test('Meta does not respond: unknown, after the timeout', async () => {
  const { secrets, now } = web.runtime;
  const egress = { exchange: () => new Promise<never>(() => undefined) };
  const silent = createGraphClient({ egress, baseUrl: 'https://graph.example' });
  web.runtime.lineReader = createLineReader({ graph: silent, secrets, now, timeoutMs: 1 });
  expect(await checksOf()).toMatchObject({ ACCESS_TOKEN: 'UNKNOWN', NUMBER: 'UNKNOWN', CALLING: 'UNKNOWN' });
});
