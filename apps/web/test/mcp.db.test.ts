/** The assistant endpoint, through the official client, in both generations of the protocol. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { verifyAgentToken } from '@clarion/core/agent/verify-agent-token';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { GET, POST } from '../app/mcp/route.ts';
import { call, startWeb } from './support.ts';
import type { Web } from './support.ts';
import { createWorld } from './world.ts';
import type { World } from './world.ts';

const DOCS_TOOLS = ['docs_contents', 'docs_read', 'docs_search'];
const ACCOUNT_TOOLS = ['agent_test_token', 'api_change', 'api_get', 'integration_check'];
const MCP_URL = new URL('http://127.0.0.1:3000/mcp');

let web: Web;
let world: World;
const clients: Client[] = [];
const answers: Response[] = [];

beforeAll(async () => {
  web = await startWeb();
  world = await createWorld(web, 'acme');
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  answers.length = 0;
  web.setNow(null);
});
afterAll(() => web.stop());

/** The client's own transport, whose requests go to the route instead of a socket. */
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

  test('with a key sees all seven, marked by what they do', async () => {
    const client = await connect(world.key, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([...ACCOUNT_TOOLS, ...DOCS_TOOLS].toSorted());
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    expect(hints('api_get')?.readOnlyHint).toBe(true);
    expect(hints('api_change')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hints('agent_test_token')?.readOnlyHint).toBe(false);
  });

  test('reads the account', async () => {
    const client = await connect(world.key, mode);
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

  test('an unknown page is answered with a suggestion', async () => {
    const { failed, text } = await use(await connect(null), 'docs_read', { name: 'guides/webhoks' });
    expect(failed).toBe(true);
    expect(text).toContain('guides/webhooks');
  });

  test('search finds pages with the passage', async () => {
    const { text } = await use(await connect(null), 'docs_search', { words: 'verify webhook signature' });
    expect(text).toContain('guides/webhooks');
    expect(text.toLowerCase()).toContain('signature');
  });
});

describe('account tools', () => {
  test('are no tools for who sends no key', async () => {
    const client = await connect(null);
    await expect(use(client, 'api_get', { path: '/v1/tenants' })).rejects.toThrow(/api_get/);
  });

  test('answer the API error of a key that is not valid', async () => {
    const client = await connect('ck_acme_nonsense');
    for (const name of ['api_get', 'integration_check']) {
      const { failed, data } = await use(client, name, name === 'api_get' ? { path: '/v1/tenants' } : {});
      expect(failed).toBe(true);
      expect(data).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    }
  });

  test('send nobody to what only people at the dashboard may ask', async () => {
    const client = await connect(world.key);
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

  test('change the account as the key, and the audit log says through what', async () => {
    const client = await connect(world.key);
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

  test('answer errors of the API as they are, naming the field', async () => {
    const { failed, data } = await use(await connect(world.key), 'api_change', {
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

  test('reach nothing of another account', async () => {
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
  ])('reach nothing outside /v1: %s', async (path) => {
    const { failed, text } = await use(await connect(world.key), 'api_get', { path });
    expect(failed).toBe(true);
    expect(text).toMatch(/must begin with \/v1\/|is not an endpoint/);
  });

  test('say which endpoint was meant, and which methods a path has', async () => {
    const client = await connect(world.key);
    expect((await use(client, 'api_get', { path: '/v1/tenant/shop/queues' })).text).toContain(
      '/v1/tenants/{tenantRef}/queues',
    );
    const { text } = await use(client, 'api_change', { method: 'PATCH', path: '/v1/tenants/shop' });
    expect(text).toContain('it has PUT, GET, DELETE');
  });

  test('do a POST once under one idempotency key', async () => {
    const client = await connect(world.key);
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

  test('refuse what creates a key or a secret, and create none', async () => {
    const client = await connect(world.key);
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
    expect((await call('getWebhook', { key: world.key })).json.webhook).toMatchObject({
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
  ])('make no key by writing its path as %j', async (path) => {
    const client = await connect(world.key);
    const keys = () => web.runtime.db.apiKey.count();
    const before = await keys();
    for (const body of [{ name: 'x' }, undefined]) {
      const { failed, text } = await use(client, 'api_change', { method: 'POST', path, body });
      expect(failed).toBe(true);
      expect(text).toMatch(/Ask the user|must begin with|not an endpoint/);
    }
    expect(await keys()).toBe(before);
  });

  test('are refused past 300 in a minute of one key, and go on in the next', async () => {
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

test('every account tool counts towards the requests of the account, also one that is refused', async () => {
  web.setNow(new Date('2026-03-01T13:00:00Z'));
  const client = await connect(world.key);
  const left = async () =>
    Number((await call('listTenants', { key: world.key })).headers.get('x-ratelimit-remaining'));
  const before = await left();
  await use(client, 'api_get', { path: '/v1/tenants' });
  await use(client, 'api_get', { path: '/v1/nothing' });
  await use(client, 'api_change', { method: 'POST', path: '/v1/api-keys', body: { name: 'mine' } });
  expect(before - (await left())).toBe(4);
});

describe('agent_test_token', () => {
  test('signs a token that connects the agent, and records it', async () => {
    const { data } = await use(await connect(world.key), 'agent_test_token', {
      tenant_ref: 'shop',
      agent_ref: 'ada',
      minutes: 1,
    });
    expect(data).toMatchObject({ tenantRef: 'shop', agentRef: 'ada', role: 'AGENT' });
    const { kid, secret } = world.signingKey;
    const findKey = async (slug: string, asked: string) =>
      slug === 'acme' && asked === kid ? { id: 1, consumerId: world.consumer.id, secret } : null;
    const token = await verifyAgentToken(String(data?.['token']), findKey, new Date());
    expect(token).toMatchObject({ tenantRef: 'shop', agentRef: 'ada', role: 'AGENT' });
    expect(token.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000);
    const entry = await web.runtime.db.auditEntry.findFirstOrThrow({ where: { action: 'agent.test_token' } });
    expect(entry).toMatchObject({ surface: 'mcp', target: 'ada', details: { role: 'AGENT', minutes: 1 } });
    expect(JSON.stringify(entry.details)).not.toContain(String(data?.['token']));
  });

  test.for([0, 61, 1.5])('refuses %s minutes', async (minutes) => {
    const { failed, text } = await use(await connect(world.key), 'agent_test_token', {
      tenant_ref: 'shop',
      agent_ref: 'ada',
      minutes,
    });
    expect(failed).toBe(true);
    expect(text).toContain('minutes');
  });

  test('is good for 15 minutes unless told otherwise, and a supervisor’s where that is asked for', async () => {
    const { data } = await use(await connect(world.key), 'agent_test_token', {
      tenant_ref: 'shop',
      agent_ref: 'ada',
      role: 'SUPERVISOR',
    });
    expect(data).toMatchObject({ role: 'SUPERVISOR' });
    const seconds = (Date.parse(String(data?.['expiresAt'])) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
  });

  test('signs nothing for an agent of nobody', async () => {
    const { data } = await use(await connect(world.key), 'agent_test_token', {
      tenant_ref: 'shop',
      agent_ref: 'nobody',
    });
    expect(data).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });
});

describe('integration_check', () => {
  test('of a new account says what is missing and what comes next', async () => {
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

  test('looks at each tenant', async () => {
    const { data } = await use(await connect(world.key), 'integration_check', { tenant_ref: 'shop' });
    expect(z(data?.['done'])).toEqual(
      expect.arrayContaining(['lines', 'routes', 'agents', 'queue_members', 'tenants']),
    );
    expect(z(data?.['missing'])).toContain('recent_calls');
  });

  test('of a tenant of nobody is the 404 of the API', async () => {
    const { data } = await use(await connect(world.key), 'integration_check', { tenant_ref: 'nobody' });
    expect(data).toMatchObject({ status: 404 });
  });

  const z = (items: unknown): string[] => (items as { check: string }[]).map(({ check }) => check);
});

test('the prompt takes a product or none', async () => {
  const client = await connect(null);
  const words = async (input: Record<string, string>) =>
    JSON.stringify((await client.getPrompt({ name: 'integrate', arguments: input })).messages);
  expect(await words({ product: 'a pet shop in Rails' })).toContain('a pet shop in Rails');
  expect(await words({})).toContain('the product of this workspace');
});

test('no answer is ever cached', async () => {
  await use(await connect(world.key), 'api_get', { path: '/v1/tenants' });
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(answers.map(() => 'no-store'));
});
