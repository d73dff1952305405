/**
 * Every outcome of a call (docs/requirements.md#call-outcomes), by telephone and on WhatsApp, with real signalling and media: its status, its
 * reason, who ended it, what the customer's side received, the agent and the line in the event, and exactly one call.ended.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestStack } from '@clarion/testkit/stack/stack';
import {
  intend,
  lifeOf,
  newestCall,
  newNumber,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';
import { flowRows } from './outcomes/flow-rows.ts';
import { inboundRows } from './outcomes/inbound-rows.ts';
import { outboundRows } from './outcomes/outbound-rows.ts';
import { deadEndRows, personalRows } from './outcomes/personal-rows.ts';
import { CUSTOMER, PhoneScene, routeCustomers } from './outcomes/phone-scene.ts';
import { expectRow, type Channel, type Row } from './outcomes/scene.ts';
import { whatsAppRows } from './outcomes/whatsapp-rows.ts';
import { WhatsAppScene } from './outcomes/whatsapp-scene.ts';
import { SideBySide, within } from './side-by-side.ts';

const shared: [string, Row[]][] = [
  ['an outbound call', outboundRows],
  ['a call to a shared line', inboundRows],
  ['a call to a personal line', personalRows],
  ['a call to an IVR flow', flowRows],
  ['a call to a line without a route', deadEndRows],
];
interface Case extends Row {
  channel: Channel;
}
const casesOn = (channel: Channel, rows: Row[]): Case[] =>
  rows.filter(({ only = channel }) => only === channel).map((row) => ({ ...row, channel }));
/** First the rows one of which waits for the ICE consent to expire, half a minute (RFC 7675 §5.1). */
const tables: [string, Case[]][] = [
  ['WhatsApp alone', casesOn('WHATSAPP', whatsAppRows)],
  ...shared.map(([what, rows]): [string, Case[]] => [what, casesOn('SIP', rows)]),
  ...shared.map(([what, rows]): [string, Case[]] => [`${what} on WhatsApp`, casesOn('WHATSAPP', rows)]),
];
/** Rows mostly wait, for sockets, ringing and deliveries. */
const ROWS_AT_ONCE = 4 * availableParallelism();
const ROW_WITHIN_MS = 45_000;

let t: TestStack;
/** Rows run concurrently, because each has its own tenant. */
let played: SideBySide<Case>;

beforeAll(async () => {
  t = await TestStack.share();
  routeCustomers(t);
  played = new SideBySide(
    tables.flatMap(([, rows]) => rows),
    play,
    ROWS_AT_ONCE,
  );
});
afterAll(async () => {
  await played?.all();
  await t?.stop();
});

async function play(row: Case): Promise<void> {
  const scene = await (row.channel === 'SIP' ? PhoneScene : WhatsAppScene).open(t);
  const whole = row.run(scene).then((happened) => expectRow(scene, row, happened));
  await within(ROW_WITHIN_MS, whole);
}

describe.each(tables)('%s', (_, rows) => {
  test.each(rows)('$how: $ends.reason by $ends.by', async (row) => {
    await played.of(row);
  });
});

describe('a call that is refused', () => {
  let shop: CallCentreFixture;
  beforeAll(async () => {
    shop = await openCallCentre(t);
  });
  const refusal = (address: string) =>
    t.v1
      .request<{ error: { code: string } }>('POST', '/v1/tenants/shop/calls', {
        channel_ref: 'main',
        agent_ref: 'ada',
        customer: { address },
      })
      .then(({ status, body }) => [status, body.error.code]);

  test('is refused by the API if it is to an emergency number or a destination outside the plan', async () => {
    expect(await refusal('999')).toEqual([403, 'emergency_not_supported']);
    expect(await refusal('+870773001234')).toEqual([403, 'destination_blocked']);
  });

  test('gets 404 if the number is unknown, and 403 or 404 if the source is unknown', async () => {
    const phone = await t.phone();
    const unknown = await phone.call(newNumber(), t.sip);
    expect(await unknown.ended()).toMatchObject({ how: 'refused', status: 404 });
    const stranger = await (await t.phone({ address: '127.0.0.77' })).call(shop.main, t.sip);
    expect([403, 404]).toContain((await stranger.ended()).status);
    const { calls } = await t.v1.ok<{ calls: object[] }>('GET', '/v1/tenants/shop/calls');
    expect(calls).toEqual([]);
  });

  test('gets 503 if it exceeds the concurrent calls of the plan, or 409 too_many_calls in the API', async () => {
    const small = await t.createAccount('small', t.carrier);
    await t.clarion(['plan', 'set', '--slug', 'small', '--calls-at-once', '1']);
    const { main } = await openCallCentre(t, { account: small, tenant: 'stall' });
    const phone = await t.phone();
    const first = await phone.call(main, t.sip);
    await first.rings();
    const second = await phone.call(main, t.sip);
    expect(await second.ended()).toMatchObject({ how: 'refused', status: 503 });
    const body = { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460999' } };
    const create = () =>
      small.v1.request<{ error?: { code: string } }>('POST', '/v1/tenants/stall/calls', body);
    const refused = await create();
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'too_many_calls']);
    await first.hangUp();
    await expect.poll(async () => (await create()).status).toBe(201);
    const { calls } = await small.v1.ok<{ calls: object[] }>('GET', '/v1/tenants/stall/calls');
    expect(calls).toHaveLength(2);
  });
});

test('a caller whom the lookup hook rejects gets 603: REJECTED by SYSTEM', async () => {
  const asked: string[] = [];
  const hook = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (body: string) => asked.push(body));
    request.on('end', () => response.end(JSON.stringify({ action: 'reject' })));
  });
  await new Promise<void>((listening) => hook.listen(0, '127.0.0.1', listening));
  const { port } = hook.address() as AddressInfo;
  const wary = await t.createAccount('wary', t.carrier);
  await wary.v1.ok('PUT', '/v1/webhook', { url: t.webhooks.url, lookup_url: `http://127.0.0.1:${port}/` });
  const { main } = await openCallCentre(t, { account: wary, tenant: 'wary' });
  const call = await (await t.phone()).call(main, t.sip, { from: CUSTOMER });
  expect(await call.ended()).toMatchObject({ how: 'refused', status: 603 });
  const { callId } = await newestCall(t, 'wary', wary);
  const { ended } = await lifeOf(t, callId, 10_000, wary);
  expect(ended).toMatchObject({ terminationReason: 'REJECTED', terminatedBy: 'SYSTEM', agentRef: null });
  expect(asked.join('')).toContain(`+${CUSTOMER}`);
  hook.close();
});

test('a carrier that requires credentials gets them, and the call is placed', async () => {
  const account = { realm: 'carrier', username: 'clarion', password: 'open sesame' };
  const carrier = await t.phone({ account });
  const consumer = await t.createAccount('digest', carrier, account);
  await openCallCentre(t, { account: consumer, tenant: 'bank', agents: ['eve'] });
  const eve = await t.agent('eve', { tenant: 'bank', account: consumer });
  const callId = await intend(t, 'eve', { tenant: 'bank', account: consumer });
  const taken = carrier.nextCall();
  await eve.start(callId);
  await (await taken).answered();
  await eve.waitFor(({ event, payload }) => event === 'call:updated' && payload.call?.state === 'active');
  await eve.hangUp(callId);
  await expect.poll(async () => (await newestCall(t, 'bank', consumer)).terminationReason).toBe('COMPLETED');
});
