/** The node SDK against the real handlers over real sockets, on a network that loses responses. */
import { storeCallLadders } from '@clarion/core/ladder/store-ladders';
import { createClient, isApiError } from '@clarion/sdk/node';
import type { ClarionClient } from '@clarion/sdk/node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fullCall } from './full-call.ts';
import { serveHandlers } from './over-http.ts';
import type { Served } from './over-http.ts';
import { callPart } from './stored-part.ts';
import { startWeb } from './support.ts';
import type { Web } from './support.ts';
import { createTenantFixture } from './tenant-fixture.ts';
import type { TenantFixture } from './tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let served: Served;
let clarion: ClarionClient;
const path = { tenantRef: 'shop' };
const intent = { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } };

beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  served = await serveHandlers();
  clarion = createClient({ url: served.url, apiKey: fixture.key });
});
afterAll(async () => {
  await served.stop();
  await web.stop();
});
beforeEach(async () => {
  served.requests = [];
  served.mishaps = [];
  await web.runtime.db.call.deleteMany({});
});

const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: unknown) => error,
  );

test('a call is created once although its response was lost twice, and the client receives that call', async () => {
  served.mishaps = ['lost', 'unheard', 'lost'];
  const { call } = await clarion.createCall({ path, body: intent });
  expect(served.requests).toEqual(['createCall', 'createCall', 'createCall', 'createCall']);
  const made = await web.runtime.db.call.findMany({ select: { id: true } });
  expect(made.map(({ id }) => Number(id))).toEqual([call.callId]);
});

test('an explicit idempotency key applies across calls, and another body with it is an error', async () => {
  const idempotencyKey = 'order-981';
  const first = await clarion.createCall({ path, body: intent, idempotencyKey });
  const again = await clarion.createCall({ path, body: intent, idempotencyKey });
  expect(again).toEqual(first);
  const other = { ...intent, customer: { address: '+442079460124' } };
  const error = await refusalOf(clarion.createCall({ path, body: other, idempotencyKey }));
  expect(isApiError(error, 'idempotency_key_reused') && error.status).toBe(422);
});

test('a 4xx is not retried, and has the code, the field and the request ID', async () => {
  const error = await refusalOf(
    clarion.putQueue({
      path: { ...path, queueRef: 'q' },
      body: { name: 'Q', members: [{ agent_ref: 'nobody' }] },
    }),
  );
  if (!isApiError(error, 'invalid_request')) throw error;
  expect(error).toMatchObject({ status: 400, details: { field: 'members[0].agent_ref' } });
  expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(served.requests).toEqual(['putQueue']);
  const unknown = createClient({ url: served.url, apiKey: 'ck_acme_wrong' });
  expect(isApiError(await refusalOf(unknown.listTenants()), 'unauthorized')).toBe(true);
});

test('a DELETE whose response was lost succeeds and is not "not found"', async () => {
  await clarion.putQueue({ path: { ...path, queueRef: 'gone' }, body: { name: 'Gone' } });
  served.mishaps = ['lost', null];
  await clarion.deleteQueue({ path: { ...path, queueRef: 'gone' } });
  expect(served.requests.filter((name) => name === 'deleteQueue')).toHaveLength(2);
  const error = await refusalOf(clarion.getQueue({ path: { ...path, queueRef: 'gone' } }));
  expect(isApiError(error, 'not_found')).toBe(true);
});

test('creating a secret is not retried, because a second secret would invalidate the first', async () => {
  const { secret } = await clarion.rotateWebhookSecret();
  expect(secret).toMatch(/^whsec_/);
  served.mishaps = ['lost'];
  await expect(clarion.rotateWebhookSecret()).rejects.toThrow('the response was interrupted');
  expect(served.requests).toEqual(['rotateWebhookSecret', 'rotateWebhookSecret']);
});

test('every list is read to its end: calls, events and lines', async () => {
  for (let i = 0; i < 5; i += 1) {
    const { call } = await clarion.createCall({ path, body: intent });
    await clarion.terminateCall({ path: { callId: call.callId } });
  }
  const calls: number[] = [];
  for await (const { callId } of clarion.paginate.listCalls({ path, query: { limit: 2 } }))
    calls.push(callId);
  expect(calls).toHaveLength(5);
  expect(calls).toEqual(calls.toSorted((a, b) => b - a));

  const types: string[] = [];
  const query = { limit: 3, type: 'call.created', tenant_ref: 'shop' } as const;
  for await (const event of clarion.paginate.listEvents({ query })) types.push(event.eventType);
  expect(types.length).toBeGreaterThanOrEqual(5);
  expect(new Set(types)).toEqual(new Set(['call.created']));

  await fixture.putLine('second', '+442071838752');
  const lines: string[] = [];
  for await (const { ref } of clarion.paginate.listChannels({ path, query: { limit: 1 } })) lines.push(ref);
  expect(lines).toEqual(['main', 'second']);
});

test('when rate limited, the client waits for a short Retry-After and throws on a long one', async () => {
  const busy = createClient({ url: served.url, apiKey: (await web.consumer('busy')).apiKey });
  const startOfMinute = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  try {
    web.setNow(startOfMinute);
    const asked = Array.from({ length: 1250 }, () =>
      busy.request('GET', '/v1/webhook', undefined, { retry: false }),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    const error = await refusalOf(busy.listTenants());
    expect(isApiError(error, 'rate_limited') && error.retryAfterSeconds).toBe(60);
    // Two seconds before the window ends, the client waits for the next one.
    web.setNow(new Date(startOfMinute.getTime() + 59_000));
    const waiting = busy.listTenants();
    await expect.poll(() => served.requests.filter((name) => name === 'listTenants').length).toBe(2);
    web.setNow(new Date(startOfMinute.getTime() + 60_000));
    expect((await waiting).tenants.map(({ ref }) => ref)).toEqual([]);
  } finally {
    web.setNow(null);
  }
});

test('a response that is a file has its type, name and bytes', async () => {
  const { callId } = await fullCall(web, fixture);
  await storeCallLadders(web.runtime.db, [callPart(callId)], new Date());
  const { ladder } = await clarion.getCallLadder({ path: { callId } });
  expect(ladder.callId).toBe(callId);
  const text = await clarion.getCallLadder({ path: { callId }, query: { format: 'text' } });
  expect([text.contentType, text.fileName]).toEqual(['text/plain', `call-${callId}-ladder.txt`]);
  expect(text.text()).toContain('INVITE sip:');
  const pcap = await clarion.getCallLadder({ path: { callId }, query: { format: 'pcap' } });
  expect([...pcap.bytes.subarray(0, 4)]).toEqual([0xa1, 0xb2, 0xc3, 0xd4]);
  const error = await refusalOf(clarion.getCallLadder({ path: { callId: 999 }, query: { format: 'text' } }));
  expect(isApiError(error, 'not_found')).toBe(true);
});
