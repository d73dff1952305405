import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toJsonSchema } from '@clarion/protocol/openapi/json-schema';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import { ApiError, ConnectionError, createClient, isApiError, type ClarionClient } from './index.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}
type Answer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | 'hang up'
  | 'break off'
  | 'say nothing';

let server: Server;
let seen: Seen[];
let answers: Answer[];
let client: ClarionClient;
let url: string;

beforeEach(async () => {
  seen = [];
  answers = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: text === '' ? undefined : JSON.parse(text) });
      const answer = answers.shift() ?? { status: 200, body: {} };
      if (answer === 'say nothing') return;
      if (answer === 'hang up') return request.socket.destroy();
      if (answer === 'break off') {
        response.writeHead(201, { 'Content-Length': '1000' });
        return response.write('{"call":', () => request.socket.destroy());
      }
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  client = createClient({ url, apiKey: 'ck_acme_secret' });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const failure = (code: string, status: number, headers?: Record<string, string>): Answer => ({
  status,
  body: { error: { code, message: 'As it is.', details: { field: 'name' } } },
  ...(headers ? { headers } : {}),
});

describe('the client', () => {
  test('calls an endpoint of the registry at its path, with the API key', async () => {
    answers = [{ status: 200, body: { tenant: { ref: 'a/b' } } }];
    await client.putTenant({ path: { tenantRef: 'a/b' }, body: { name: 'North' } });
    expect(seen[0]).toMatchObject({ method: 'PUT', url: '/v1/tenants/a%2Fb', body: { name: 'North' } });
    expect(seen[0]?.headers.authorization).toBe('Bearer ck_acme_secret');
  });

  test('sends only the given query parameters, and dates as ISO 8601', async () => {
    const from = new Date('2026-01-05T09:00:00Z');
    await client.listCalls({
      path: { tenantRef: 'n' },
      query: { limit: 5, page: undefined, live: true, from },
    });
    expect(seen[0]?.url).toBe('/v1/tenants/n/calls?limit=5&live=true&from=2026-01-05T09%3A00%3A00.000Z');
  });

  test('retries a POST with the same Idempotency-Key until there is a response', async () => {
    answers = [
      'hang up',
      failure('internal_error', 500),
      failure('idempotency_key_in_use', 409),
      { status: 201, body: { ok: 1 } },
    ];
    expect(await client.request('POST', '/v1/x', {})).toEqual({ ok: 1 });
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(seen).toHaveLength(4);
  });

  test("throws the service's error, and does not retry requests that would fail again", async () => {
    answers = [failure('invalid_request', 400)];
    const error = await client.request('POST', '/v1/x', {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, details: { field: 'name' } });
    expect(seen).toHaveLength(1);
  });

  test('retries after an interrupted response and after a timeout', async () => {
    answers = ['break off', 'say nothing', { status: 201, body: { ok: 1 } }];
    expect(await client.request('POST', '/v1/x', {}, { timeoutMs: 100 })).toEqual({ ok: 1 });
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(seen).toHaveLength(3);
  });

  test('reports the timeout of the last attempt', async () => {
    answers = ['say nothing'];
    const asked = client.request('GET', '/v1/x', undefined, { timeoutMs: 100, retry: false });
    await expect(asked).rejects.toThrow('The service did not respond within 100 ms.');
  });

  test('waits as long as Retry-After specifies', async () => {
    answers = [failure('rate_limited', 429, { 'Retry-After': '1' }), { status: 200, body: {} }];
    const startedAt = performance.now();
    await client.request('GET', '/v1/x');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });

  test('uses a new key after a stored 429, unless the caller provided the key', async () => {
    const kept = failure('rate_limited', 429, { 'Idempotent-Replayed': 'true' });
    answers = ['hang up', kept, { status: 201, body: { ok: 1 } }];
    expect(await client.request('POST', '/v1/x', {})).toEqual({ ok: 1 });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([true, false]);
    answers = [kept];
    const asked = client.request('POST', '/v1/x', {}, { idempotencyKey: 'order-981' });
    await expect(asked).rejects.toMatchObject({ code: 'rate_limited' });
    expect(seen[3]?.headers['idempotency-key']).toBe('order-981');
    expect(seen).toHaveLength(4);
  });

  test('treats a 404 as success when a DELETE is retried', async () => {
    answers = ['hang up', failure('not_found', 404)];
    await expect(client.deleteQueue({ path: { tenantRef: 'n', queueRef: 'q' } })).resolves.toBeUndefined();
    answers = [failure('not_found', 404)];
    await expect(client.deleteQueue({ path: { tenantRef: 'n', queueRef: 'q' } })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('distinguishes errors by code, keeps unknown codes, and includes the request ID', async () => {
    answers = [failure('call_ended', 409, { 'X-Request-Id': 'r-1' }), failure('of_tomorrow', 409)];
    const error = await client.terminateCall({ path: { callId: 7 } }).catch((reason: unknown) => reason);
    expect(isApiError(error, 'agent_busy')).toBe(false);
    if (!isApiError(error, 'call_ended', 'not_found')) throw error;
    const code: 'call_ended' | 'not_found' = error.code;
    expect([code, error.requestId]).toEqual(['call_ended', 'r-1']);
    await expect(client.terminateCall({ path: { callId: 7 } })).rejects.toMatchObject({
      code: 'of_tomorrow',
    });
    expect(isApiError(new Error('other'))).toBe(false);
  });

  test('does not follow redirects with the API key', async () => {
    answers = [{ status: 308, headers: { Location: '/v1/elsewhere' } }];
    await expect(client.request('GET', '/v1/x')).rejects.toMatchObject({ status: 308 });
    expect(seen).toHaveLength(1);
  });

  test('requires a URL and a key, and accepts a base path', async () => {
    expect(() => createClient({ url: '', apiKey: 'k' })).toThrow('url');
    expect(() => createClient({ url, apiKey: ' ' })).toThrow('apiKey');
    await createClient({ url: `${url}/calls/`, apiKey: 'k' }).listTenants();
    expect(seen[0]?.url).toBe('/calls/v1/tenants');
    expect(() => client.getTenant({ path: { tenantRef: '' } })).toThrow('tenantRef');
  });

  test('throws if Retry-After is long', async () => {
    answers = [failure('rate_limited', 429, { 'Retry-After': '40' })];
    await expect(client.request('GET', '/v1/x')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 40,
    });
    expect(seen).toHaveLength(1);
  });

  test('does not retry requests that return a secret', async () => {
    answers = ['hang up', failure('internal_error', 500)];
    await expect(client.rotateWebhookSecret()).rejects.toBeInstanceOf(ConnectionError);
    await expect(client.rotateWebhookSecret()).rejects.toMatchObject({ status: 500 });
    expect(seen).toHaveLength(2);
    expect(seen[0]?.headers['idempotency-key']).toBeUndefined();
    answers = ['hang up'];
    const body = { url: 'https://acme.example/events' };
    await expect(client.putWebhook({ body })).rejects.toBeInstanceOf(ConnectionError);
    expect(seen).toHaveLength(3);
  });

  test('stops when the caller aborts', async () => {
    answers = [failure('internal_error', 500), failure('internal_error', 500)];
    const stop = new AbortController();
    const asked = client.request('GET', '/v1/x', undefined, { signal: stop.signal });
    await expect.poll(() => seen.length).toBe(1);
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  test('throws a response without an error body as an error with its status', async () => {
    for (const [status, code] of [
      [401, 'unauthorized'],
      [404, 'not_found'],
    ] as const) {
      answers = [{ status }];
      await expect(client.request('GET', '/nothing')).rejects.toMatchObject({ code, status });
    }
  });
});

describe('paging', () => {
  test('is available for every paginated list', () => {
    const paged = Object.entries<EndpointDefinition>(registry).filter(([, { query }]) => {
      const fields = Object.keys((query && toJsonSchema(query).schema.properties) ?? {});
      return fields.some((field) => ['page', 'before_id', 'after_id'].includes(field));
    });
    expect(Object.keys(client.paginate).toSorted()).toEqual(paged.map(([name]) => name).toSorted());
  });

  test('requests the next page when the current one is consumed, and no more pages than needed', async () => {
    const calls = (...ids: number[]) => ids.map((callId) => ({ callId }));
    answers = [
      { status: 200, body: { calls: calls(9, 8), nextBeforeId: 8 } },
      { status: 200, body: { calls: calls(7), nextBeforeId: 7 } },
      { status: 200, body: { calls: [], nextBeforeId: null } },
    ];
    const found: number[] = [];
    for await (const { callId } of client.paginate.listCalls({
      path: { tenantRef: 'n' },
      query: { limit: 2, status: 'TERMINATED' },
    }))
      found.push(callId);
    expect(found).toEqual([9, 8, 7]);
    expect(seen.map(({ url: asked }) => asked.split('?')[1])).toEqual([
      'limit=2&status=TERMINATED',
      'limit=2&status=TERMINATED&before_id=8',
      'limit=2&status=TERMINATED&before_id=7',
    ]);
    answers = [{ status: 200, body: { calls: calls(9, 8), nextBeforeId: 8 } }];
    for await (const call of client.paginate.listCalls({ path: { tenantRef: 'n' } })) {
      expect(call.callId).toBe(9);
      break;
    }
    expect(seen).toHaveLength(4);
  });

  test('throws the error of a failed page in the loop', async () => {
    answers = [{ status: 200, body: { events: [{ id: 5 }], nextBeforeId: 5 } }, failure('unauthorized', 401)];
    const walk = async () => {
      const ids: number[] = [];
      for await (const { id } of client.paginate.listEvents()) ids.push(id);
      return ids;
    };
    await expect(walk()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(seen).toHaveLength(2);
  });

  test('reads usage up to a fixed time, so that new records do not shift the pages', async () => {
    const page = (number: number, ...ids: number[]) => ({
      status: 200,
      body: { usage: ids.map((id) => ({ id })), page: number, limit: 2, total: 3 },
    });
    answers = [page(1, 3, 2), page(2, 1)];
    const ids: number[] = [];
    for await (const { id } of client.paginate.listUsage({ query: { limit: 2 } })) ids.push(id);
    expect(ids).toEqual([3, 2, 1]);
    const [first, second, ...others] = seen.map((request) => new URL(request.url, url).searchParams);
    expect([first?.get('page'), second?.get('page'), others]).toEqual(['1', '2', []]);
    expect(first?.get('to')).toMatch(/Z$/);
    expect(second?.get('to')).toBe(first?.get('to'));
  });

  test('reads each transaction once, although new ones shift the pages', async () => {
    const page = (number: number, total: number, ...ids: number[]) => ({
      status: 200,
      body: { transactions: ids.map((id) => ({ id })), page: number, limit: 2, total },
    });
    answers = [page(1, 4, 9, 8), page(2, 5, 8, 7), page(3, 5, 6)];
    const ids: number[] = [];
    for await (const { id } of client.paginate.listTransactions({ path: { tenantRef: 'n' } })) ids.push(id);
    expect(ids).toEqual([9, 8, 7, 6]);
    expect(seen).toHaveLength(3);
  });

  test('requests lines in pages, although a list without a limit returns them all', async () => {
    answers = [{ status: 200, body: { channels: [], nextAfterId: null } }];
    for await (const line of client.paginate.listChannels({ path: { tenantRef: 'n' } }))
      expect(line).toBeNull();
    expect(seen[0]?.url).toBe('/v1/tenants/n/channels?limit=500');
  });
});
