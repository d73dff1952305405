import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { LookupHook } from '@clarion/testkit/peers/lookup-hook';
import type { Agent, Channel } from '@clarion/db';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let hook: LookupHook;
let anna: Agent;
let shared: Channel;
let own: Channel;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
  hook = await fixture.lookupHook();
  anna = await fixture.agent('anna', { shift: 'AVAILABLE' });
  shared = await fixture.line({ inboundQueueId: (await fixture.queue([anna])).id });
  own = await fixture.line({ ownerAgentId: anna.id });
});
beforeEach(() => {
  hook.answer = {};
});
afterEach(async () => {
  // A failed test would leave its call, and the next one would find anna reserved.
  for (const { callId } of await fixture.db.liveCall.findMany({ select: { callId: true } }))
    await fixture.terminate(callId);
});
afterAll(async () => {
  await hook.close();
  await fixture.close();
});

const setHook = (lookupUrl: string) =>
  fixture.db.consumer.update({ where: { id: fixture.consumer.id }, data: { lookupUrl } });
const callOf = (id: number) => fixture.db.call.findUniqueOrThrow({ where: { id } });
const lookedUp = (callId: number) =>
  fixture.db.callLifecycle.findFirst({ where: { callId, type: 'LOOKED_UP' } });

const ring = (line: Channel) => media.ring({ requestUser: line.address.slice(1), fromName: 'CARRIER NAME' });
const hangUp = async ({ callId, legId }: { callId: number; legId: string }) => {
  media.ended(callId, legId, legEndOf('remote-cancel'));
  await fixture.ended(callId);
};

describe('the lookup hook', () => {
  test('is queried with a signed request about a caller of a queue before anything rings, and the agent receives its reply', async () => {
    const app = await fixture.app(node, 'anna');
    hook.answer = {
      body: JSON.stringify({ name: ' Jo Doe ', external_ref: 'crm-7', action: null }),
      afterMs: 300,
    };
    const call = await ring(shared);
    expect(await callOf(call.callId)).toMatchObject({ status: 'INITIATED', customerName: 'CARRIER NAME' });
    const asked = await hook.askedAbout(call.callId);
    expect(asked).toMatchObject({
      signatureValid: true,
      headers: { 'webhook-id': `lookup-${call.callId}`, 'content-type': 'application/json' },
      question: {
        tenant_ref: 't1',
        caller: { address: '+447700900123', address_type: 'E164', withheld: false },
        channel_ref: shared.ref,
        called: shared.address,
        call_id: call.callId,
      },
    });
    const incoming = await app.next('call:incoming');
    expect(incoming.call).toMatchObject({ customer: { name: 'Jo Doe' }, externalRef: 'crm-7' });
    const events = await fixture.db.event.findMany({
      where: { callId: call.callId },
      orderBy: { sequence: 'asc' },
    });
    const told = events.map(({ type, body }) => [type, body.includes('crm-7')]);
    expect(told).toEqual([
      ['call.created', false],
      ['call.ringing', true],
    ]);
    expect((await lookedUp(call.callId))?.metadata).toMatchObject({ result: 'ANSWERED', name: 'Jo Doe' });
    await hangUp(call);
    app.close();
  });

  test('is queried about a caller of a personal line, whose owner is reserved meanwhile', async () => {
    const app = await fixture.app(node, 'anna');
    hook.answer = { body: '{"name":"Boss"}', afterMs: 200 };
    const call = await ring(own);
    await hook.askedAbout(call.callId);
    expect(await fixture.agentRow(anna.id)).toMatchObject({ currentCallId: call.callId });
    expect((await app.next('call:incoming')).call.customer.name).toBe('Boss');
    await hangUp(call);
    app.close();
  });

  test('blocks a caller: REJECTED by SYSTEM, and the carrier receives 603', async () => {
    const app = await fixture.app(node, 'anna');
    hook.respondWith({ action: 'REJECT', name: 'Nuisance' });
    for (const line of [shared, own]) {
      const { callId } = await ring(line);
      expect(await fixture.ended(callId)).toMatchObject({
        terminationReason: 'REJECTED',
        terminatedBy: 'SYSTEM',
        customerName: 'Nuisance',
        ringingAt: null,
      });
      expect(await media.command('call:release', callId)).toMatchObject({ status: 603 });
      expect((await lookedUp(callId))?.metadata).toMatchObject({ action: 'reject' });
    }
    expect(await fixture.agentRow(anna.id)).toMatchObject({ currentCallId: null });
    expect(app.received.filter(({ name }) => name === 'call:incoming')).toEqual([]);
    app.close();
  });

  test.each([
    ['too slow', { body: '{"name":"Late","action":"reject"}', afterMs: 2_500 }, 'TIMEOUT'],
    ['an error', { status: 500, body: '{"action":"reject"}' }, 'FAILED'],
    ['a redirect, which is not followed', { status: 307, headers: { location: '/elsewhere' } }, 'FAILED'],
    ['not JSON', { body: '<html>' }, 'FAILED'],
    ['not an object', { body: '"reject"' }, 'FAILED'],
    ['too long', { body: JSON.stringify({ name: 'x', padding: 'x'.repeat(20_000) }) }, 'FAILED'],
    ['empty', { status: 204 }, 'ANSWERED'],
    [
      'an object with invalid fields',
      { body: JSON.stringify({ name: 'x'.repeat(256), external_ref: 7, action: 'sing' }) },
      'ANSWERED',
    ],
  ])('whose reply is %s changes nothing', async (_, answer, result) => {
    const app = await fixture.app(node, 'anna');
    hook.answer = answer;
    const began = performance.now();
    const call = await ring(shared);
    expect((await app.next('call:incoming')).call.customer.name).toBe('CARRIER NAME');
    expect(performance.now() - began).toBeLessThan(2_300);
    expect((await lookedUp(call.callId))?.metadata).toMatchObject({ result });
    expect(await callOf(call.callId)).toMatchObject({ externalRef: null });
    await hangUp(call);
    app.close();
  });

  test('that is down changes nothing', async () => {
    await setHook('http://127.0.0.1:9/lookup');
    const app = await fixture.app(node, 'anna');
    const call = await ring(shared);
    await app.next('call:incoming');
    await hangUp(call);
    app.close();
    await setHook(hook.url);
  });

  test('is not queried about a call that is rejected anyway', async () => {
    const before = hook.asked.length;
    const nowhere = await fixture.line({});
    const disabled = await fixture.line({ ownerAgentId: anna.id, status: 'DISABLED' });
    for (const line of [nowhere, disabled, own]) {
      const { answer } = await media.invite({ requestUser: line.address.slice(1) });
      expect(answer.action).toBe('reject');
    }
    expect(hook.asked).toHaveLength(before);
  });

  test('a caller who hangs up meanwhile ends the call: CANCELLED by CUSTOMER, and the owner is released', async () => {
    const app = await fixture.app(node, 'anna');
    hook.answer = { afterMs: 1_000 };
    const call = await ring(own);
    await hook.askedAbout(call.callId);
    media.ended(call.callId, call.legId, legEndOf('remote-cancel'));
    expect(await fixture.ended(call.callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await fixture.agentRow(anna.id)).toMatchObject({ currentCallId: null });
    app.close();
  });

  test('a node that dies during the lookup delays the call by two seconds only', async () => {
    const other = await fixture.startNode();
    const otherMedia = await fixture.media([other]);
    hook.answer = { afterMs: 60_000 };
    const app = await fixture.app(node, 'anna');
    const { answer } = await otherMedia.invite({ requestUser: shared.address.slice(1) });
    if (answer.action !== 'accept') throw new Error('refused');
    await hook.askedAbout(answer.callId);
    const began = performance.now();
    await other.stop();
    await app.next('call:incoming');
    expect(performance.now() - began).toBeLessThan(6_000);
    await fixture.terminate(answer.callId);
    await fixture.ended(answer.callId);
    app.close();
  });
});
