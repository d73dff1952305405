/** The assistant endpoint, through the official client, in both generations of the protocol. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { storeCallLadders } from '@clarion/core/ladder/store-ladders';
import { verifyAgentToken } from '@clarion/core/agent/verify-agent-token';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { GET, POST } from '../app/mcp/route.ts';
import { fullCall } from './full-call.ts';
import { callPart } from './stored-part.ts';
import { call, startWeb } from './support.ts';
import type { Web } from './support.ts';
import { createTenantFixture } from './tenant-fixture.ts';
import type { TenantFixture } from './tenant-fixture.ts';

const DOCS_TOOLS = ['docs_contents', 'docs_read', 'docs_search'];
const ACCOUNT_TOOLS = ['agent_test_token', 'api_change', 'api_get', 'integration_check'];
const MCP_URL = new URL('http://127.0.0.1:3000/mcp');

let web: Web;
let fixture: TenantFixture;
const clients: Client[] = [];
const answers: Response[] = [];

beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  answers.length = 0;
  web.setNow(null);
});
afterAll(() => web.stop());

/** The client's transport, with requests passed to the route instead of a socket. */
async function connect(key: string | null, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(MCP_URL, {
      ...(key !== null && { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
      fetch: async (url, init) => {
        const request = new Request(url, init);
        const response = await (request.method === 'GET' ? GET(request) : POST(request));
        answers.push(response);
        return response;
      },
    }),
  );
  clients.push(client);
  return client;
}

const use = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
  const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
  const [first] = result.content;
  return {
    failed: result.isError === true,
    text: first?.type === 'text' ? first.text : '',
    data: result.structuredContent as Record<string, unknown> | undefined,
  };
};

describe.each(['legacy', 'auto'] as const)('a client that speaks the %s protocol', (mode) => {
  test('without a key sees the docs tools and the prompt', async () => {
    const client = await connect(null, mode);
    expect((await client.listTools()).tools.map(({ name }) => name).toSorted()).toEqual(DOCS_TOOLS);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['integrate']);
  });

  test('with a key sees all seven, with annotations', async () => {
    const client = await connect(fixture.key, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([...ACCOUNT_TOOLS, ...DOCS_TOOLS].toSorted());
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    expect(hints('api_get')?.readOnlyHint).toBe(true);
    expect(hints('api_change')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hints('agent_test_token')?.readOnlyHint).toBe(false);
  });

  test('reads the account', async () => {
    const client = await connect(fixture.key, mode);
    const { data } = await use(client, 'api_get', { path: '/v1/tenants/shop' });
    expect(data).toMatchObject({ status: 200, body: { tenant: { ref: 'shop' } } });
  });
});

describe('docs tools', () => {
  test('contents names pages that docs_read reads', async () => {
    const client = await connect(null);
    const { text } = await use(client, 'docs_contents');
    const names = [...text.matchAll(/^- (\S+): /gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const page = await use(client, 'docs_read', { name });
      expect(page.failed, name).toBe(false);
      expect(page.text, name).toMatch(/^# /);
    }
  });

  test('an unknown page gets a suggestion', async () => {
    const { failed, text } = await use(await connect(null), 'docs_read', { name: 'guides/webhoks' });
    expect(failed).toBe(true);
    expect(text).toContain('guides/webhooks');
  });

  test('search returns pages with the matching passage', async () => {
    const { text } = await use(await connect(null), 'docs_search', { words: 'verify webhook signature' });
    expect(text).toContain('guides/webhooks');
    expect(text.toLowerCase()).toContain('signature');
  });
});

describe('account tools', () => {
  test('are not available without a key', async () => {
    const client = await connect(null);
    await expect(use(client, 'api_get', { path: '/v1/tenants' })).rejects.toThrow(/api_get/);
  });

  test('return a text file as text, and explain how to get a binary one', async () => {
    const { callId } = await fullCall(web, fixture);
    await storeCallLadders(web.runtime.db, [callPart(callId)], new Date());
    const client = await connect(fixture.key);
    const path = `/v1/calls/${callId}/ladder`;
    const { data } = await use(client, 'api_get', { path, query: { format: 'text' } });
    expect(data).toMatchObject({ status: 200, body: expect.stringContaining('INVITE sip:') });
    const binary = await use(client, 'api_get', { path, query: { format: 'pcap' } });
    expect(binary.failed).toBe(true);
    expect(binary.text).toContain('binary file (application/vnd.tcpdump.pcap');
    expect(binary.text).toContain(`GET ${path}?format=pcap at http`);
  });

  test("return the API's error for an invalid key", async () => {
    const client = await connect('ck_acme_nonsense');
    for (const name of ['api_get', 'integration_check']) {
      const { failed, data } = await use(client, name, name === 'api_get' ? { path: '/v1/tenants' } : {});
      expect(failed).toBe(true);
      expect(data).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    }
  });

  test('do not offer endpoints that are for dashboard users only', async () => {
    const client = await connect(fixture.key);
    const { failed, text } = await use(client, 'api_change', {
      method: 'POST',
      path: '/v1/users',
      body: { email: 'a@b.test', name: 'A', role: 'OWNER' },
    });
    expect({ failed, text }).toEqual({
      failed: true,
      text: expect.stringContaining('signed in to the dashboard'),
    });
    expect(await web.runtime.db.staffUser.count()).toBe(0);
  });

  test('change the account with the key, and the audit log names the channel of access', async () => {
    const client = await connect(fixture.key);
    const { data } = await use(client, 'api_change', {
      method: 'PUT',
      path: '/v1/tenants/shop/agents/cleo',
      body: { name: 'Cleo' },
    });
    expect(data).toMatchObject({ status: 200, body: { agent: { ref: 'cleo', name: 'Cleo' } } });
    const entry = await web.runtime.db.auditEntry.findFirstOrThrow({
      where: { action: 'agent.put', target: 'cleo' },
    });
    expect(entry).toMatchObject({ surface: 'mcp', actorKind: 'apiKey' });
  });

  test("return the API's errors unchanged, with the field", async () => {
    const { failed, data } = await use(await connect(fixture.key), 'api_change', {
      method: 'PUT',
      path: '/v1/tenants/shop/agents/cleo',
      body: {},
    });
    expect(failed).toBe(true);
    expect(data).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', details: { field: 'name' } } },
    });
  });

  test('cannot access another account', async () => {
    const stranger = await web.consumer('stranger');
    const { data } = await use(await connect(stranger.apiKey), 'api_get', { path: '/v1/tenants/shop' });
    expect(data).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  test.for([
    '/healthz',
    'https://example.com/v1/tenants',
    '//example.com/v1/tenants',
    '/v1/../readyz',
    '/v1/%2e%2e/readyz',
    'v1/tenants',
    '/v10/tenants',
    '',
  ])('cannot access anything outside /v1: %s', async (path) => {
    const { failed, text } = await use(await connect(fixture.key), 'api_get', { path });
    expect(failed).toBe(true);
    expect(text).toMatch(/must begin with \/v1\/|is not an endpoint/);
  });

  test('suggest similar endpoints and the methods of a path', async () => {
    const client = await connect(fixture.key);
    expect((await use(client, 'api_get', { path: '/v1/tenant/shop/queues' })).text).toContain(
      '/v1/tenants/{tenantRef}/queues',
    );
    const { text } = await use(client, 'api_change', { method: 'PATCH', path: '/v1/tenants/shop' });
    expect(text).toContain('it has PUT, GET, DELETE');
  });

  test('run a POST once per idempotency key', async () => {
    const client = await connect(fixture.key);
    const place = () =>
      use(client, 'api_change', {
        method: 'POST',
        path: '/v1/tenants/shop/calls',
        body: { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } },
        idempotency_key: 'mcp-once',
      });
    const [first, again] = [await place(), await place()];
    expect(first.data).toMatchObject({ status: 201 });
    expect(again.data).toEqual(first.data);
  });

  test('reject endpoints that create a key or secret, and create none', async () => {
    const client = await connect(fixture.key);
    const before = await web.runtime.db.signingKey.count();
    for (const path of ['/v1/api-keys', '/v1/signing-keys', '/v1/webhook/secret']) {
      const { failed, text } = await use(client, 'api_change', { method: 'POST', path, body: { name: 'x' } });
      expect(failed, path).toBe(true);
      expect(text, path).toContain('Ask the user');
    }
    const first = await use(client, 'api_change', {
      method: 'PUT',
      path: '/v1/webhook',
      body: { url: 'https://hooks.example.com/clarion' },
    });
    expect(first.failed).toBe(true);
    expect((await call('getWebhook', { key: fixture.key })).json.webhook).toMatchObject({
      url: null,
      secretSet: false,
    });
    expect(await web.runtime.db.signingKey.count()).toBe(before);
  });

  test.for([
    '/v1/api-keys/',
    '/v1//api-keys',
    '/v1/api%2Dkeys',
    '/v1/%61pi-keys',
    '/V1/API-KEYS',
    '/v1/api-keys?x=1',
    '/v1/api-keys#x',
    '/v1/api-keys;x=1',
    '/v1/tenants/../api-keys',
    '/v1/tenants/%2e%2e/api-keys',
    String.raw`/v1\api-keys`,
    '/v1/api-keys%2F',
    '/v1/api-keys\n',
  ])('do not create a key under the path %j', async (path) => {
    const client = await connect(fixture.key);
    const keys = () => web.runtime.db.apiKey.count();
    const before = await keys();
    for (const body of [{ name: 'x' }, undefined]) {
      const { failed, text } = await use(client, 'api_change', { method: 'POST', path, body });
      expect(failed).toBe(true);
      expect(text).toMatch(/Ask the user|must begin with|not an endpoint/);
    }
    expect(await keys()).toBe(before);
  });

  test('are limited to 300 per minute and key', async () => {
    const { apiKey } = await web.consumer('busy');
    web.setNow(new Date('2026-03-01T10:00:00Z'));
    const client = await connect(apiKey);
    const get = () => use(client, 'api_get', { path: '/v1/tenants' });
    for (let count = 0; count < 300; count += 1) expect((await get()).failed).toBe(false);
    const { failed, text } = await get();
    expect(failed).toBe(true);
    expect(text).toContain('Wait a minute');
    web.setNow(new Date('2026-03-01T10:01:00Z'));
    expect((await get()).failed).toBe(false);
  });
});

test("every call of an account tool counts towards the account's rate limit, also a rejected one", async () => {
  web.setNow(new Date('2026-03-01T13:00:00Z'));
  const client = await connect(fixture.key);
  const left = async () =>
    Number((await call('listTenants', { key: fixture.key })).headers.get('x-ratelimit-remaining'));
  const before = await left();
  await use(client, 'api_get', { path: '/v1/tenants' });
  await use(client, 'api_get', { path: '/v1/nothing' });
  await use(client, 'api_change', { method: 'POST', path: '/v1/api-keys', body: { name: 'mine' } });
  expect(before - (await left())).toBe(4);
});

describe('agent_test_token', () => {
  test('signs a token that connects the agent, and records it', async () => {
    const { data } = await use(await connect(fixture.key), 'agent_test_token', {
      tenant_ref: 'shop',
      agent_ref: 'ada',
      minutes: 1,
    });
    expect(data).toMatchObject({ tenantRef: 'shop', agentRef: 'ada', role: 'AGENT' });
    const { kid, secret } = fixture.signingKey;
    const findKey = async (slug: string, asked: string) =>
      slug === 'acme' && asked === kid ? { id: 1, consumerId: fixture.consumer.id, secret } : null;
    const token = await verifyAgentToken(String(data?.['token']), findKey, new Date());
    expect(token).toMatchObject({ tenantRef: 'shop', agentRef: 'ada', role: 'AGENT' });
    expect(token.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000);
    const entry = await web.runtime.db.auditEntry.findFirstOrThrow({ where: { action: 'agent.test_token' } });
    expect(entry).toMatchObject({ surface: 'mcp', target: 'ada', details: { role: 'AGENT', minutes: 1 } });
    expect(JSON.stringify(entry.details)).not.toContain(String(data?.['token']));
  });

  test.for([0, 61, 1.5])('refuses %s minutes', async (minutes) => {
    const { failed, text } = await use(await connect(fixture.key), 'agent_test_token', {
      tenant_ref: 'shop',
      agent_ref: 'ada',
      minutes,
    });
    expect(failed).toBe(true);
    expect(text).toContain('minutes');
  });

  test('is valid for 15 minutes by default, and can be a supervisor’s', async () => {
    const { data } = await use(await connect(fixture.key), 'agent_test_token', {
      tenant_ref: 'shop',
      agent_ref: 'ada',
      role: 'SUPERVISOR',
    });
    expect(data).toMatchObject({ role: 'SUPERVISOR' });
    const seconds = (Date.parse(String(data?.['expiresAt'])) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
  });

  test('signs no token for an unknown agent', async () => {
    const { data } = await use(await connect(fixture.key), 'agent_test_token', {
      tenant_ref: 'shop',
      agent_ref: 'nobody',
    });
    expect(data).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });
});

describe('integration_check', () => {
  test('of a new account lists what is missing and the next step', async () => {
    const { apiKey } = await web.consumer('fresh');
    const { data } = await use(await connect(apiKey), 'integration_check');
    const missing = z(data?.['missing']);
    expect(missing).toEqual(['webhook', 'push', 'tenants']);
    expect(z(data?.['done'])).toEqual(['deliveries', 'signing_keys']);
    expect(data?.['next']).toEqual(expect.arrayContaining([expect.stringContaining('PUT /v1/webhook')]));
    const client = await connect(null);
    for (const [, name] of String(data?.['next']).matchAll(/\((guides\/[\w-]+|quick-start)\)/g)) {
      expect((await use(client, 'docs_read', { name })).failed, name).toBe(false);
    }
  });

  test('checks each tenant', async () => {
    const { data } = await use(await connect(fixture.key), 'integration_check', { tenant_ref: 'shop' });
    expect(z(data?.['done'])).toEqual(
      expect.arrayContaining(['lines', 'routes', 'agents', 'queue_members', 'tenants']),
    );
    expect(z(data?.['missing'])).toContain('recent_calls');
  });

  test("of an unknown tenant returns the API's 404", async () => {
    const { data } = await use(await connect(fixture.key), 'integration_check', { tenant_ref: 'nobody' });
    expect(data).toMatchObject({ status: 404 });
  });

  const z = (items: unknown): string[] => (items as { check: string }[]).map(({ check }) => check);
});

test('the product is an optional argument of the prompt', async () => {
  const client = await connect(null);
  const words = async (input: Record<string, string>) =>
    JSON.stringify((await client.getPrompt({ name: 'integrate', arguments: input })).messages);
  expect(await words({ product: 'a pet shop in Rails' })).toContain('a pet shop in Rails');
  expect(await words({})).toContain('the product of this workspace');
});

test('no response may be cached', async () => {
  await use(await connect(fixture.key), 'api_get', { path: '/v1/tenants' });
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(answers.map(() => 'no-store'));
});
