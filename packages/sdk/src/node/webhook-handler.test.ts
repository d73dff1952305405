import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWebhookHandler, type WebhookEvent, type WebhookHandler } from './index.ts';
import { MAX_WEBHOOK_BYTES } from './webhook-handler.ts';

const secret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';
const body = JSON.stringify({ event_id: 'e1', event_type: 'call.ended', note: 'naïve ☎' });
const signed = (text: string, by = secret) => {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', by).update(`${seconds}.${text}`).digest('hex');
  return { 'X-Clarion-Signature': `t=${seconds},v1=${signature}` };
};

let server: Server;
let url: string;
let taken: WebhookEvent[];
let errors: unknown[];
let fail: Error | null;
let handler: WebhookHandler;
let before: (request: IncomingMessage & { body?: unknown }) => Promise<void>;

beforeEach(async () => {
  taken = [];
  errors = [];
  fail = null;
  before = async () => {};
  handler = createWebhookHandler({
    secret,
    async onEvent(event) {
      if (fail) throw fail;
      taken.push(event);
    },
    onError: (error) => errors.push(error),
  });
  server = createServer(async (request, response) => {
    await before(request);
    await handler.node(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const ways: [string, (init: RequestInit) => Promise<Response>][] = [
  ['node:http', (init) => fetch(url, init)],
  ['fetch', (init) => handler.fetch(new Request('http://localhost/hook', init))],
];

describe.each(ways)('a webhook handler of %s', (_, send) => {
  test('accepts a signed event once and responds with 204', async () => {
    const answer = await send({ method: 'POST', body, headers: signed(body) });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(taken).toEqual([JSON.parse(body)]);
    expect(errors).toEqual([]);
  });

  test('rejects requests with a wrong signature, without a body or with another method', async () => {
    const post = { method: 'POST', body };
    const statuses = [
      await send(post),
      await send({ ...post, headers: signed(body, 'whsec_other') }),
      await send({ ...post, headers: signed(`${body} `) }),
      await send({ method: 'POST', headers: signed(body) }),
      await send({ method: 'GET' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 400, 400, 405]);
    expect(taken).toEqual([]);
    expect(errors).toHaveLength(4);
  });

  test('responds with 500 if the event could not be stored, so that it is sent again', async () => {
    fail = new Error('the database is away');
    expect((await send({ method: 'POST', body, headers: signed(body) })).status).toBe(500);
    expect(errors).toEqual([fail]);
    fail = null;
    expect((await send({ method: 'POST', body, headers: signed(body) })).status).toBe(204);
  });

  test('reads no more than the maximum size of an event', async () => {
    const large = 'x'.repeat(MAX_WEBHOOK_BYTES + 1);
    expect((await send({ method: 'POST', body: large, headers: signed(large) })).status).toBe(413);
    expect(taken).toEqual([]);
  });
});

test('an endless body is not read endlessly', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write('POST /hook HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  for (let i = 0; i < 32; i += 1) socket.write(chunk);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('a raw body parser may have read the bytes, and a parsed body causes an explanatory error', async () => {
  const read = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  before = async (request) => {
    request.body = await read(request);
  };
  const post = () => fetch(url, { method: 'POST', body, headers: signed(body) });
  expect((await post()).status).toBe(204);
  before = async (request) => {
    request.body = JSON.parse((await read(request)).toString());
  };
  expect((await post()).status).toBe(500);
  expect(String(errors[0])).toContain('before any body parser');
});
