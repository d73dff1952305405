/** What `/mcp` accepts and rejects before any tool is called. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { POST } from '../app/mcp/route.ts';
import { startWeb } from './support.ts';
import type { Web } from './support.ts';
import { createTenantFixture } from './tenant-fixture.ts';
import type { TenantFixture } from './tenant-fixture.ts';

const MCP_URL = new URL('http://127.0.0.1:3000/mcp');

let web: Web;
let fixture: TenantFixture;

beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
});
afterEach(() => web.setNow(null));
afterAll(() => web.stop());

const post = (
  headers: Record<string, string>,
  message: object | string = { jsonrpc: '2.0', id: 1, method: 'ping' },
) =>
  POST(
    new Request(MCP_URL, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    }),
  );

test.for(['https://evil.example', 'http://127.0.0.1:4000', 'null', 'http://127.0.0.1.evil.example:3000'])(
  'refuses the origin %s',
  async (origin) => {
    expect((await post({ origin })).status).toBe(403);
  },
);
test.for(['http://127.0.0.1:3000', 'http://localhost:3000'])('accepts the origin %s', async (origin) => {
  expect((await post({ origin })).status).toBe(200);
});

test('answers 429 to one address after 600 requests in a minute, and not to another', async () => {
  web.setNow(new Date('2026-03-01T11:00:00Z'));
  const from = (address: string) => post({ 'x-clarion-peer': address });
  for (let count = 0; count < 600; count += 1) expect((await from('198.51.100.7')).status).toBe(200);
  const refused = await from('198.51.100.7');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await from('198.51.100.8')).status).toBe(200);
});

test('counts every message of a batch', async () => {
  web.setNow(new Date('2026-03-01T12:00:00Z'));
  const batch = (length: number) =>
    post(
      { 'x-clarion-peer': '198.51.100.9', ...key(fixture.key) },
      Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
    );
  for (let count = 0; count < 6; count += 1) expect((await batch(100)).status).toBe(200);
  expect((await batch(1)).status).toBe(429);
  expect((await post({ 'x-clarion-peer': '198.51.100.9' })).status).toBe(429);
});

const key = (value: string) => ({ authorization: `Bearer ${value}` });
const ping = (meta: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { meta } } });
const ofBytes = (bytes: number) => ping('x'.repeat(bytes - JSON.stringify(ping('')).length));
const MB = 1024 * 1024;

test('accepts 64 KB without a valid key, and the 10 MB of /v1 with one', async () => {
  for (const headers of [{}, key('ck_acme_nonsense'), { authorization: 'Basic YTpi' }]) {
    expect((await post(headers, ofBytes(64 * 1024))).status).toBe(200);
    const refused = await post(headers, ofBytes(64 * 1024 + 1));
    expect(refused.status).toBe(413);
    expect(await refused.text()).toContain('64 KB');
  }
  expect((await post(key(fixture.key), ofBytes(10 * MB))).status).toBe(200);
  expect((await post(key(fixture.key), ofBytes(11 * MB))).status).toBe(413);
});

test('rejects a body that is nested too deeply or has too many values before parsing it, with and without a key', async () => {
  const deep = (levels: number) => `[${'['.repeat(levels)}${']'.repeat(levels)}]`;
  const list = (values: number) => ping(Array.from({ length: values }, () => 0));
  for (const [headers, values] of [
    [{}, 1000],
    [key(fixture.key), 100_000],
  ] as const) {
    const refused = [await post(headers, deep(100)), await post(headers, list(values))];
    expect(refused.map(({ status }) => status)).toEqual([400, 400]);
    const [nested, filled] = await Promise.all(refused.map((response) => response.text()));
    expect(nested).toContain('nested more deeply than 100 levels');
    expect(filled).toContain(`more than ${values} values`);
    expect((await post(headers, list(values - 10))).status).toBe(200);
  }
});

test('accepts batches of ten messages without a valid key', async () => {
  const batch = (length: number) =>
    Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  expect((await post({}, batch(10))).status).toBe(200);
  expect((await post({}, batch(11))).status).toBe(400);
  expect((await post(key(fixture.key), batch(100))).status).toBe(200);
  expect((await post(key(fixture.key), batch(101))).status).toBe(400);
});

test('answers invalid JSON with a parse error', async () => {
  const answer = await post({}, '{"jsonrpc":');
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32_700 } }]);
});
