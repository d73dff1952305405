/** Hostile and malformed input: it gets a clear error, crashes no process, and calls still work. */
import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { signToken } from '@clarion/testkit/stack/token';
import { TestStack, type Account } from '@clarion/testkit/stack/stack';
import { V1Client } from '@clarion/testkit/stack/v1-client';
import {
  endLiveCalls,
  isOf,
  lifeOf,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';

let t: TestStack;
let shop: CallCentreFixture;
let other: Account;

beforeAll(async () => {
  t = await TestStack.share();
  shop = await openCallCentre(t);
  other = await t.createAccount('rival', await t.phone());
});
afterEach(async () => {
  t.release();
  await endLiveCalls(t);
});
afterAll(() => t?.stop());

async function pids(): Promise<(number | undefined)[]> {
  return Object.values(t.stack.processes).map((process) => process.pid);
}

const CALLER = '+441632960777';

/** Declines other offers, because a mutated INVITE may still be valid and create a call. */
async function offerOf(ada: ScriptedAgent, address: string): Promise<number> {
  for (;;) {
    const { callId, customer } = await ada.incoming();
    if (customer.address === address) return callId;
    await ada.send('call:decline', { callId }).catch(() => undefined); // it may have ended in the meantime
    await ada.waitFor(({ event, payload }) => event === 'call:withdrawn' && payload.callId === callId);
  }
}

async function aCallWorks(): Promise<void> {
  const ada = await t.agent('ada');
  await ada.available();
  const call = await (await t.phone()).call(shop.main, t.sip, { from: CALLER });
  const callId = await offerOf(ada, CALLER);
  await ada.accept(callId);
  await call.answered();
  await call.hangUp();
  await lifeOf(t, callId);
  ada.close();
}

test('invalid tokens are refused, each with its own message', async () => {
  const key = t.account.signingKey;
  const good = { iss: t.account.slug, tnt: 'shop', sub: 'ada', name: 'Ada', role: 'AGENT' };
  const bad: Record<string, string> = {
    'wrong secret': signToken({ ...key, secret: 'guess' }, good),
    'unknown kid': signToken({ ...key, kid: 'nobody' }, good),
    'another account’s key': signToken(other.signingKey, good),
    'no exp': signToken(key, { ...good, exp: undefined }),
    expired: signToken(key, { ...good, exp: Math.floor(Date.now() / 1000) - 60 }),
    'alg none': `${signToken(key, good, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
    'unknown tenant': signToken(key, { ...good, tnt: 'nowhere' }),
    'not a token': 'hello',
  };
  for (const [what, token] of Object.entries(bad)) {
    const refusal = ScriptedAgent.connect({ url: t.baseUrl, token });
    await expect(refusal, what).rejects.toThrow(/\w/);
  }
  (await t.agent('ada')).close();
});

test('another account cannot access any data of this account', async () => {
  const v1 = new V1Client(t.baseUrl, other.apiKey);
  const ada = await t.agent('ada');
  await ada.available();
  const call = await (await t.phone()).call(shop.main, t.sip);
  const { callId } = await ada.incoming();
  for (const [method, path] of [
    ['GET', '/v1/tenants/shop'],
    ['GET', '/v1/tenants/shop/agents/ada'],
    ['GET', '/v1/tenants/shop/calls'],
    ['GET', `/v1/calls/${callId}`],
    ['POST', `/v1/calls/${callId}/terminate`],
    ['DELETE', '/v1/tenants/shop/channels/main'],
  ] as const)
    expect([path, (await v1.request(method, path)).status]).toEqual([path, 404]);
  expect((await new V1Client(t.baseUrl, 'ck_acme_guess').request('GET', '/v1/tenants/shop')).status).toBe(
    401,
  );
  await call.hangUp();
  await lifeOf(t, callId);
});

/** Sends the path unchanged; fetch would resolve it first. */
const statusOf = (method: string, path: string, body = ''): Promise<number> =>
  new Promise((resolve, reject) => {
    const authorization = `Bearer ${t.account.apiKey}`;
    const { hostname, port } = new URL(t.baseUrl);
    request({ hostname, port, method, path, headers: { authorization } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body);
  });

test('a ref with path traversal is not found and changes no other resource', async () => {
  const v1 = new V1Client(t.baseUrl, t.account.apiKey);
  const before = await v1.ok('GET', '/v1/tenants/shop');
  const renamed = JSON.stringify({ name: 'Renamed', status: 'SUSPENDED' });
  for (const up of ['', '.', '..', '%2e%2e', '.%2E']) {
    expect(await statusOf('DELETE', `/v1/tenants/shop/agents/${up}`)).toBe(404);
    expect(await statusOf('DELETE', `/v1/tenants/shop/agents/ada/push-tokens/${up}`)).toBe(404);
    expect(await statusOf('PUT', `/v1/tenants/shop/queues/${up}`, renamed)).toBe(400);
  }
  expect(await statusOf('DELETE', '/v1/tenants/shop/')).toBe(404);
  expect(await v1.ok('GET', '/v1/tenants/shop')).toEqual(before);
  await v1.ok('GET', '/v1/tenants/shop/agents/ada');
});

test('malformed datagrams and SDP crash no process, and the next call works', async () => {
  const before = await pids();
  const phone = await t.phone();
  const invite = [
    `INVITE sip:${shop.main}@127.0.0.1:${t.sip.port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${phone.port};branch=z9hG4bKbad;rport`,
    'From: <sip:x@127.0.0.1>;tag=1',
    `To: <sip:${shop.main}@127.0.0.1>`,
    'Call-ID: bad',
    'CSeq: 1 INVITE',
    `Contact: <sip:x@127.0.0.1:${phone.port}>`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
  const mutations = fc.sample(
    fc.oneof(
      fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(fc.nat(invite.length - 1), fc.nat(40), fc.string({ maxLength: 40 }))
        .map(([at, cut, text]) => Buffer.from(invite.slice(0, at) + text + invite.slice(at + cut))),
    ),
    400,
  );
  mutations.forEach((bytes) => phone.sendRaw(bytes, t.sip));
  for (const sdp of [
    'v=0',
    'nonsense',
    'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nm=video 9 RTP/AVP 96\r\n',
    'm=audio 0 RTP/AVP 8\r\n',
  ]) {
    const call = await phone.call(shop.main, t.sip, { sdp });
    const { status } = await call.ended(10_000);
    expect([400, 415, 480, 488]).toContain(status);
  }
  await endLiveCalls(t); // some of the mutated INVITEs are valid
  await aCallWorks();
  expect(await pids()).toEqual(before);
});

test('malformed messages on the agent socket are rejected or dropped, and the agent can still take calls', async () => {
  const ada = await t.agent('ada');
  const wild = ada.socket.timeout(2000);
  const emit = (event: string, ...args: unknown[]) =>
    new Promise<unknown>((resolve) => {
      Reflect.apply(wild.emit, wild, [
        event,
        ...args,
        (error: Error | null, reply: unknown) => resolve(error ?? reply),
      ]);
    });
  expect(await emit('call:accept', { callId: 'x', sdpOffer: 7 })).toMatchObject({
    ok: false,
    error: { code: 'invalid_request' },
  });
  expect(await emit('call:accept', { callId: 2 ** 40, sdpOffer: 'v=0' })).toMatchObject({ ok: false });
  expect(await emit('availability:set', null)).toMatchObject({ ok: false });
  expect(await emit('call:hangup', { callId: 999_999 })).toMatchObject({
    ok: false,
    error: { code: 'not_found' },
  });
  await emit('no-such-message', {});
  await ada.available();
  await ada.available();
});

test('an unusable SDP offer is refused, and the call can still be accepted', async () => {
  const ada = await t.agent('ada');
  await ada.available();
  const call = await (await t.phone()).call(shop.main, t.sip);
  const { callId } = await ada.incoming();
  await expect(ada.send('call:accept', { callId, sdpOffer: 'v=0\r\nnonsense' })).rejects.toMatchObject({
    code: /\w/,
  });
  await call.hangUp();
  await t.webhooks.waitFor(isOf(callId, 'call.ended'));
  await aCallWorks();
});
