import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError, ConnectionError, createClient, type ClarionClient } from './index.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}
type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | 'hang up';

let server: Server;
let seen: Seen[];
let answers: Answer[];
let client: ClarionClient;

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
      if (answer === 'hang up') return request.socket.destroy();
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = createClient({ url: `http://127.0.0.1:${port}`, apiKey: 'ck_acme_secret' });
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
  test('calls an endpoint of the registry at its path, with the key', async () => {
    answers = [{ status: 200, body: { tenant: { ref: 'a/b' } } }];
    await client.putTenant({ path: { tenantRef: 'a/b' }, body: { name: 'North' } });
    expect(seen[0]).toMatchObject({ method: 'PUT', url: '/v1/tenants/a%2Fb', body: { name: 'North' } });
    expect(seen[0]?.headers.authorization).toBe('Bearer ck_acme_secret');
  });

  test('sends only the query that is given', async () => {
    await client.request('GET', '/v1/tenants', undefined, { query: { limit: 5, page: undefined } });
    expect(seen[0]?.url).toBe('/v1/tenants?limit=5');
  });

  test('repeats a POST under the same Idempotency-Key until it is answered', async () => {
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

  test("gives the service's error as it is, and does not repeat what would fail again", async () => {
    answers = [failure('invalid_request', 400)];
    const error = await client.request('POST', '/v1/x', {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, details: { field: 'name' } });
    expect(seen).toHaveLength(1);
  });

  test('leaves a long Retry-After to the caller', async () => {
    answers = [failure('rate_limited', 429, { 'Retry-After': '40' })];
    await expect(client.request('GET', '/v1/x')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 40,
    });
    expect(seen).toHaveLength(1);
  });

  test('asks only once for an answer that shows a secret', async () => {
    answers = ['hang up'];
    await expect(client.rotateWebhookSecret({})).rejects.toBeInstanceOf(ConnectionError);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.headers['idempotency-key']).toBeUndefined();
  });

  test('stops when the caller does', async () => {
    answers = [failure('internal_error', 500), failure('internal_error', 500)];
    const stop = new AbortController();
    const asked = client.request('GET', '/v1/x', undefined, { signal: stop.signal });
    await expect.poll(() => seen.length).toBe(1);
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  test('an answer of something in between is an error with its status', async () => {
    answers = [{ status: 404 }];
    await expect(client.request('GET', '/nothing')).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });
});
