/** The client against a real HTTP server that misbehaves in every way. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEgress } from '../egress/guard.ts';
import type { Egress } from '../egress/guard.ts';
import { createGraphClient, GRAPH_VERSION, MAX_RESPONSE_BYTES } from './graph-client.ts';
import type { GraphClient } from './graph-client.ts';

const line = { phoneNumberId: '1001', accessToken: 'EAAG-very-secret' };
interface Seen {
  method: string;
  url: string;
  authorization: string | undefined;
  body: unknown;
}
type Reply = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let egress: Egress;
let graph: GraphClient;
let seen: Seen[];
let replies: Reply[];
const json =
  (status: number, body: unknown): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const done = json(200, { success: true });
const failed = json(500, { error: { code: 1, message: 'oops' } });

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      seen.push({
        method: request.method ?? '',
        url: request.url ?? '',
        authorization: request.headers.authorization,
        body: text === '' ? null : JSON.parse(text),
      });
      (replies.shift() ?? done)(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  egress = createEgress({ allowPrivate: true });
  const { port } = server.address() as AddressInfo;
  graph = createGraphClient({ egress, baseUrl: `http://127.0.0.1:${port}`, pause: async () => {} });
});
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
  replies = [];
});

const connect = () => graph.connect(line, { to: '+12185552828', sdpOffer: 'v=0', opaque: 'clarion-call-7' });

describe('requests', () => {
  test('connect returns the ID at Meta', async () => {
    replies = [json(200, { messaging_product: 'whatsapp', calls: [{ id: 'wacid.B' }] })];
    expect(await connect()).toEqual({ kind: 'ok', value: 'wacid.B' });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: `/${GRAPH_VERSION}/1001/calls`,
        authorization: 'Bearer EAAG-very-secret',
        body: expect.objectContaining({ to: '12185552828', action: 'connect' }),
      },
    ]);
  });
  test('every other request has its method, path and body', async () => {
    const permission = { permission: { status: 'no_permission' }, actions: [] };
    replies = [
      done,
      done,
      done,
      done,
      json(200, { messages: [{ id: 'wamid.x' }] }),
      json(200, permission),
      json(200, { calling: { status: 'ENABLED' } }),
      json(200, { display_phone_number: '+1 317' }),
    ];
    const results = [
      await graph.preAccept(line, 'wacid.A', 'v=0'),
      await graph.accept(line, 'wacid.A', 'v=0'),
      await graph.reject(line, 'wacid.A'),
      await graph.terminate(line, 'wacid.A'),
      await graph.requestPermission(line, 'US.1349', 'May we?'),
      await graph.readPermission(line, '+1218'),
      await graph.readCallingSettings(line),
      await graph.readPhoneNumber(line),
    ];
    expect(results.map(({ kind }) => kind)).toEqual(results.map(() => 'ok'));
    expect(seen.map(({ method, url }) => `${method} ${url.replace(`/${GRAPH_VERSION}/1001`, '')}`)).toEqual([
      'POST /calls',
      'POST /calls',
      'POST /calls',
      'POST /calls',
      'POST /messages',
      'GET /call_permissions?user_wa_id=1218',
      'GET /settings',
      'GET ?fields=display_phone_number,verified_name,quality_rating,status',
    ]);
  });
});

describe('failures are results', () => {
  test('an error of Meta, without the token that it repeats', async () => {
    const error = { code: 190, message: `Malformed access token ${line.accessToken}`, error_subcode: 463 };
    replies = [json(401, { error })];
    const result = await connect();
    expect(result).toEqual({
      kind: 'refused',
      httpStatus: 401,
      error: { code: 190, subcode: 463, message: 'Malformed access token …', details: null },
    });
    expect(JSON.stringify(result)).not.toContain('very-secret');
  });
  test.each([
    ['HTML', (response: ServerResponse) => void response.end('<html>')],
    ['JSON that is not the response', json(200, { calls: [] })],
    ['nothing', (response: ServerResponse) => void response.end()],
    [
      'more than the limit',
      (response: ServerResponse) =>
        void response.end(`{"calls":[{"id":"wacid.B"}],"x":"${'x'.repeat(MAX_RESPONSE_BYTES)}"}`),
    ],
  ] as [string, Reply][])('a response that is %s', async (_, reply) => {
    replies = [reply];
    expect(await connect()).toEqual({ kind: 'silent', silence: 'malformed', sent: true });
    expect(seen).toHaveLength(1);
  });
  test('a closed connection: it is not known whether the request had an effect', async () => {
    replies = [(response) => void response.destroy()];
    expect(await connect()).toEqual({ kind: 'silent', silence: 'unreachable', sent: true });
    expect(seen).toHaveLength(1);
  });
  test('no server: the request was not sent, and was repeated', async () => {
    const pauses: number[] = [];
    const closed = createServer();
    closed.listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const unreachable = createGraphClient({
      egress,
      baseUrl: `http://127.0.0.1:${port}`,
      pause: async (ms) => void pauses.push(ms),
    });
    const result = await unreachable.connect(line, { to: '+1', sdpOffer: '', opaque: '' });
    expect(result).toEqual({ kind: 'silent', silence: 'unreachable', sent: false });
    expect(pauses).toHaveLength(1);
  });
  test('a redirect is not followed, so the token stays with Meta', async () => {
    replies = [(response) => void response.writeHead(307, { location: 'https://evil.example/' }).end()];
    expect(await connect()).toMatchObject({ kind: 'refused', httpStatus: 307 });
    expect(seen).toHaveLength(1);
  });
});

const late = (): Promise<never> =>
  Promise.reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));

describe('a request is repeated', () => {
  const actions = {
    connect,
    message: () => graph.requestPermission(line, '+1218', 'May we?'),
    pre_accept: () => graph.preAccept(line, 'wacid.A', 'v=0'),
    accept: () => graph.accept(line, 'wacid.A', 'v=0'),
    reject: () => graph.reject(line, 'wacid.A'),
    terminate: () => graph.terminate(line, 'wacid.A'),
  };
  test.each([
    ['connect', 1],
    ['message', 1],
    ['pre_accept', 2],
    ['accept', 2],
    ['reject', 2],
    ['terminate', 2],
  ] as const)('%s after a 500: sent %i times', async (name, times) => {
    replies = [failed, failed, failed];
    expect(await actions[name]()).toMatchObject({ kind: 'refused', httpStatus: 500 });
    expect(seen).toHaveLength(times);
  });
  test('never after a 4xx', async () => {
    for (const action of Object.values(actions)) {
      seen = [];
      replies = [json(400, { error: { code: 100, message: 'no' } })];
      await action();
      expect(seen).toHaveLength(1);
    }
  });
  test('after a timeout only if a second one has no other effect', async () => {
    let sent = 0;
    const slow = createGraphClient({
      egress: {
        exchange: () => {
          sent += 1;
          return late();
        },
      },
      baseUrl: 'https://graph.example',
      pause: async () => {},
    });
    const counts: number[] = [];
    for (const action of [
      () => slow.connect(line, { to: '+1', sdpOffer: '', opaque: '' }),
      () => slow.requestPermission(line, '+1', ''),
      () => slow.accept(line, 'a', ''),
      () => slow.reject(line, 'a'),
      () => slow.terminate(line, 'a'),
      () => slow.readCallingSettings(line),
    ]) {
      sent = 0;
      expect(await action()).toEqual({ kind: 'silent', silence: 'timeout', sent: true });
      counts.push(sent);
    }
    expect(counts).toEqual([1, 1, 1, 2, 2, 2]);
  });
});
