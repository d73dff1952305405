import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { LookupHook } from '@clarion/testkit/peers/lookup-hook';
import type { Agent, Channel } from '@clarion/db';
import type { Realtime } from '../src/server.ts';
import { World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;
let hook: LookupHook;
let anna: Agent;
let shared: Channel;
let own: Channel;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  media = await world.media([node]);
  hook = await world.lookupHook();
  anna = await world.agent('anna', { shift: 'AVAILABLE' });
  shared = await world.line({ inboundQueueId: (await world.queue([anna])).id });
  own = await world.line({ ownerAgentId: anna.id });
});
beforeEach(() => {
  hook.answer = {};
});
afterEach(async () => {
  // A test that failed leaves its call behind, and the next one finds anna taken.
  for (const { callId } of await world.db.liveCall.findMany({ select: { callId: true } }))
    await world.terminate(callId);
});
afterAll(async () => {
  await hook.close();
  await world.close();
});

const setHook = (lookupUrl: string) =>
  world.db.consumer.update({ where: { id: world.consumer.id }, data: { lookupUrl } });
const callOf = (id: number) => world.db.call.findUniqueOrThrow({ where: { id } });
const lookedUp = (callId: number) =>
  world.db.callLifecycle.findFirst({ where: { callId, type: 'LOOKED_UP' } });

const ring = (line: Channel) => media.ring({ requestUser: line.address.slice(1), fromName: 'CARRIER NAME' });
const hangUp = async ({ callId, legId }: { callId: number; legId: string }) => {
  media.ended(callId, legId, legEndOf('remote-cancel'));
  await world.ended(callId);
};

describe('the lookup hook', () => {
  test('is asked, signed, about a caller of a queue before anything rings; its words reach the agent', async () => {
    const app = await world.app(node, 'anna');
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
    const events = await world.db.event.findMany({
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

  test('is asked about a caller of a personal line; its owner is reserved meanwhile', async () => {
    const app = await world.app(node, 'anna');
    hook.answer = { body: '{"name":"Boss"}', afterMs: 200 };
    const call = await ring(own);
    await hook.askedAbout(call.callId);
    expect(await world.agentRow(anna.id)).toMatchObject({ currentCallId: call.callId });
    expect((await app.next('call:incoming')).call.customer.name).toBe('Boss');
    await hangUp(call);
    app.close();
  });

  test('blocks a caller: REJECTED by SYSTEM, and the carrier is told 603', async () => {
    const app = await world.app(node, 'anna');
    hook.says({ action: 'REJECT', name: 'Nuisance' });
    for (const line of [shared, own]) {
      const { callId } = await ring(line);
      expect(await world.ended(callId)).toMatchObject({
        terminationReason: 'REJECTED',
        terminatedBy: 'SYSTEM',
        customerName: 'Nuisance',
        ringingAt: null,
      });
      expect(await media.command('call:release', callId)).toMatchObject({ status: 603 });
      expect((await lookedUp(callId))?.metadata).toMatchObject({ action: 'reject' });
    }
    expect(await world.agentRow(anna.id)).toMatchObject({ currentCallId: null });
    expect(app.told.filter(({ name }) => name === 'call:incoming')).toEqual([]);
    app.close();
  });

  test.each([
    ['too slow', { body: '{"name":"Late","action":"reject"}', afterMs: 2_500 }, 'TIMEOUT'],
    ['an error', { status: 500, body: '{"action":"reject"}' }, 'FAILED'],
    ['a redirect, which is not followed', { status: 307, headers: { location: '/elsewhere' } }, 'FAILED'],
    ['no JSON', { body: '<html>' }, 'FAILED'],
    ['no object', { body: '"reject"' }, 'FAILED'],
    ['far too long', { body: JSON.stringify({ name: 'x', padding: 'x'.repeat(20_000) }) }, 'FAILED'],
    ['nothing', { status: 204 }, 'ANSWERED'],
    [
      'fields that cannot be used',
      { body: JSON.stringify({ name: 'x'.repeat(256), external_ref: 7, action: 'sing' }) },
      'ANSWERED',
    ],
  ])('whose answer is %s changes nothing', async (_, answer, result) => {
    const app = await world.app(node, 'anna');
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
    const app = await world.app(node, 'anna');
    const call = await ring(shared);
    await app.next('call:incoming');
    await hangUp(call);
    app.close();
    await setHook(hook.url);
  });

  test('is not asked about a call that is refused anyway', async () => {
    const before = hook.asked.length;
    const nowhere = await world.line({});
    const disabled = await world.line({ ownerAgentId: anna.id, status: 'DISABLED' });
    for (const line of [nowhere, disabled, own]) {
      const { answer } = await media.invite({ requestUser: line.address.slice(1) });
      expect(answer.action).toBe('reject');
    }
    expect(hook.asked).toHaveLength(before);
  });

  test('a caller who hangs up meanwhile has hung up: CANCELLED by CUSTOMER, and the owner is free', async () => {
    const app = await world.app(node, 'anna');
    hook.answer = { afterMs: 1_000 };
    const call = await ring(own);
    await hook.askedAbout(call.callId);
    media.ended(call.callId, call.legId, legEndOf('remote-cancel'));
    expect(await world.ended(call.callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await world.agentRow(anna.id)).toMatchObject({ currentCallId: null });
    app.close();
  });

  test('a node that dies over its question costs the caller two seconds, and nothing else', async () => {
    const other = await world.startNode();
    const otherMedia = await world.media([other]);
    hook.answer = { afterMs: 60_000 };
    const app = await world.app(node, 'anna');
    const { answer } = await otherMedia.invite({ requestUser: shared.address.slice(1) });
    if (answer.action !== 'accept') throw new Error('refused');
    await hook.askedAbout(answer.callId);
    const began = performance.now();
    await other.stop();
    await app.next('call:incoming');
    expect(performance.now() - began).toBeLessThan(6_000);
    await world.terminate(answer.callId);
    await world.ended(answer.callId);
    app.close();
  });
});
