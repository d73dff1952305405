/** A customer's call on WhatsApp becomes one call of ours, under the rules of every inbound call. */
import { randomUUID } from 'node:crypto';
import type { Agent, Channel, Consumer, Database, Queue, Tenant, Tx } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallState } from '../call-machine/state.ts';
import { acceptWhatsAppWebhook } from '../whatsapp/accept-webhook.ts';
import { takeCallEvents } from '../whatsapp/whatsapp-call.ts';
import { createCallback } from './callback.ts';
import {
  createWhatsAppCall,
  recordMissedWhatsAppCall,
  WHATSAPP_RING_MAX_MS,
} from './create-whatsapp-call.ts';
import { ringAgent } from './ring-agent.ts';
import { stepCall } from './step-call.ts';
import { parseState } from './stored.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const CALLER = '+12185552828';
/** More than the plans of these tests allow in one of them. */
const PLAN_CALLS = 20;
let testDatabase: TestDatabase;
/** Two realtime nodes. */
let one: Database;
let two: Database;
let consumer: Consumer;
let tenant: Tenant;
let queue: Queue;
let counter = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  one = testDatabase.connect();
  two = testDatabase.connect();
  consumer = await one.consumer.create({ data: { slug: 'acme', name: 'Acme' } });
  tenant = await one.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
  queue = await one.queue.create({ data: { tenantId: tenant.id, ref: 'sales', name: 'Sales' } });
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await one.call.deleteMany();
  await one.consumer.update({
    where: { id: consumer.id },
    data: { status: 'ACTIVE', planCallsAtOnce: PLAN_CALLS, planCountries: [], lookupUrl: null },
  });
});

const newLine = (data: object = {}): Promise<Channel> => {
  counter += 1;
  return one.channel.create({
    data: {
      tenantId: tenant.id,
      ref: `wa-${counter}`,
      type: 'WHATSAPP',
      address: `+4477009${String(counter).padStart(5, '0')}`,
      providerAccountId: `account-${counter}`,
      credentialsSealed: 'sealed',
      ...data,
    },
  });
};
const newAgent = (data: object = {}): Promise<Agent> => {
  const ref = `agent-${++counter}`;
  return one.agent.create({
    data: {
      tenantId: tenant.id,
      ref,
      name: ref,
      connections: { create: { socketId: randomUUID(), deviceId: 'd', nodeId: 'n' } },
      ...data,
    },
  });
};
const newQueueLine = () => newLine({ inboundQueueId: queue.id });

/** The webhook of a call, stored and not taken. */
async function ring(line: Channel, from = CALLER.slice(1)) {
  const whatsAppCallId = `wacid.${++counter}`;
  const session = { sdp_type: 'offer', sdp: 'v=0' };
  const call = { id: whatsAppCallId, event: 'connect', from, direction: 'USER_INITIATED', session };
  const value = { metadata: { phone_number_id: line.providerAccountId }, calls: [call] };
  const body = { entry: [{ changes: [{ field: 'calls', value }] }] };
  await acceptWhatsAppWebhook({ db: one, now: NOW }, body, null);
  return { channelId: line.id, whatsAppCallId };
}
type Ringing = Awaited<ReturnType<typeof ring>>;

const arrivalOf = (ringing: Ringing) => ({
  ...ringing,
  customerAddress: CALLER,
  name: 'Grace',
  mediaNodeId: 'media',
  carrierLegId: `leg-${ringing.whatsAppCallId}`,
});
const take = (tx: Tx, ringing: Ringing) => takeCallEvents(tx, ringing, NOW);
async function admit(ringing: Ringing, db = one) {
  await db.$transaction((tx: Tx) => take(tx, ringing));
  return createWhatsAppCall({ db, nodeId: 'n' }, arrivalOf(ringing), NOW);
}
async function created(line: Channel): Promise<number> {
  const result = await admit(await ring(line));
  if (result.kind !== 'created') throw new Error(`not created: ${JSON.stringify(result)}`);
  return result.callId;
}
const callOf = (id: number) => one.call.findUniqueOrThrow({ where: { id } });
const stateOf = async (callId: number): Promise<CallState> =>
  parseState((await one.liveCall.findUniqueOrThrow({ where: { callId } })).state);

describe('a call to a queue', () => {
  test('is a call of the line, bound to the call at Meta, and answered before it waits', async () => {
    const line = await newQueueLine();
    const callId = await created(line);
    expect(await callOf(callId)).toMatchObject({
      direction: 'INBOUND',
      channelType: 'WHATSAPP',
      channelRef: line.ref,
      sipTrunkId: null,
      inviteId: null,
      customerAddress: CALLER,
      customerAddressType: 'WHATSAPP_USER',
      customerName: 'Grace',
      queueRef: 'sales',
    });
    expect(await one.whatsAppCall.count({ where: { callId } })).toBe(1);
    // The queue's own setting is not to answer.
    expect(queue.answerWhileWaiting).toBe(false);
    expect((await stateOf(callId)).phase).toBe('answering');
    const events = await one.event.findMany({ where: { callId } });
    expect(events.map(({ type }) => type)).toEqual(['call.created']);
  });

  test('becomes one call, however many nodes take it', async () => {
    const ringing = await ring(await newQueueLine());
    const results = await Promise.all([one, two, one, two].map((db) => admit(ringing, db)));
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'known')).toHaveLength(3);
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(1);
    expect(await one.call.count()).toBe(1);
  });

  test('is created in the transaction that takes its events, or neither happens', async () => {
    const ringing = await ring(await newQueueLine());
    const begin = (tx: Tx) =>
      take(tx, ringing).then(() => createWhatsAppCall({ db: tx, nodeId: 'n' }, arrivalOf(ringing), NOW));
    const crashed = one.$transaction(async (tx: Tx) => {
      await begin(tx);
      throw new Error('the process ended');
    });
    await expect(crashed).rejects.toThrow('the process ended');
    expect(await one.call.count()).toBe(0);
    const result = await one.$transaction(begin);
    expect(result.kind).toBe('created');
  });

  test('has a callback key only if the account may call the customer', async () => {
    const withKey = await one.queue.create({
      data: { tenantId: tenant.id, ref: `key-${++counter}`, name: 'K', callbackKey: '1' },
    });
    const line = await newLine({ inboundQueueId: withKey.id });
    const keyOf = async () => {
      const state = await stateOf(await created(line));
      return state.phase === 'answering' ? state.wait.stops[0]?.callbackKey : state.phase;
    };
    expect(await keyOf()).toBe('1');
    await one.consumer.update({ where: { id: consumer.id }, data: { planCountries: ['GB'] } });
    expect(await keyOf()).toBeNull();
  });
});

describe('a call to a personal line', () => {
  const ringsFor = async (callId: number) => {
    const state = await stateOf(callId);
    if (state.phase !== 'offering') return state.phase;
    return (state.offers[0]?.expiresAt ?? 0) - NOW.getTime();
  };

  test('rings the owner for the ring timeout of the line, at most as long as WhatsApp waits', async () => {
    const rung = async (ringTimeoutSeconds: number | null) => {
      const owner = await newAgent();
      return ringsFor(await created(await newLine({ ownerAgentId: owner.id, ringTimeoutSeconds })));
    };
    expect(await rung(60)).toBe(WHATSAPP_RING_MAX_MS);
    expect(await rung(null)).toBe(WHATSAPP_RING_MAX_MS);
    expect(await rung(10)).toBe(10_000);
  });

  test('that waits for an owner who is being rung does not ring longer altogether', async () => {
    const owner = await newAgent();
    const line = await newLine({ ownerAgentId: owner.id, ringTimeoutSeconds: 60 });
    const [first, second] = [await created(line), await created(line)];
    expect(await ringsFor(second)).toBe('awaiting-owner');
    await stepCall(one, first, { type: 'terminate' }, NOW);
    await ringAgent(one, second, owner.id, new Date(NOW.getTime() + 20_000));
    expect(await ringsFor(second)).toBe(WHATSAPP_RING_MAX_MS);
  });

  test.each([
    ['has no connected device', { connections: undefined }, 'NO_ANSWER'],
    ['has turned on do not disturb', { doNotDisturb: true }, 'NO_ANSWER'],
  ])('is recorded and refused if the owner %s', async (_, data, reason) => {
    const owner = await newAgent(data);
    const result = await admit(await ring(await newLine({ ownerAgentId: owner.id })));
    expect(result).toMatchObject({
      kind: 'refused',
      reason,
      message: 'The owner of the line has no device that can ring or has turned on do not disturb.',
    });
    expect(await callOf(result.callId ?? 0)).toMatchObject({
      agentRef: owner.ref,
      terminationReason: reason,
    });
    expect(await one.liveCall.count()).toBe(0);
  });

  test('two calls to one owner at once: one rings, the other waits for the owner', async () => {
    const owner = await newAgent();
    const line = await newLine({ ownerAgentId: owner.id });
    const ringing = [await ring(line), await ring(line)];
    const results = await Promise.all(ringing.map((each, index) => admit(each, index === 0 ? one : two)));
    const phases = await Promise.all(results.map(async ({ callId }) => (await stateOf(callId ?? 0)).phase));
    expect(phases.toSorted()).toEqual(['awaiting-owner', 'offering']);
  });
});

describe('a call that is refused', () => {
  test('on a disabled line, or one without a route, is recorded', async () => {
    const disabled = await admit(await ring(await newLine({ status: 'DISABLED', inboundQueueId: queue.id })));
    expect(disabled).toMatchObject({ kind: 'refused', reason: 'REJECTED', message: 'The line is disabled.' });
    const bare = await admit(await ring(await newLine()));
    expect(bare).toMatchObject({ kind: 'refused', reason: 'REJECTED' });
    expect(bare).toMatchObject({ message: 'The line has no queue, owner or flow.' });
    expect(await one.call.count({ where: { terminationReason: 'REJECTED' } })).toBe(2);
  });

  test('at the limit of concurrent calls is not recorded, and the rest of the transaction is kept', async () => {
    await one.consumer.update({ where: { id: consumer.id }, data: { planCallsAtOnce: 1 } });
    const line = await newQueueLine();
    await created(line);
    const ringing = await ring(line);
    const result = await one.$transaction(async (tx: Tx) => {
      await take(tx, ringing);
      return createWhatsAppCall({ db: tx, nodeId: 'n' }, arrivalOf(ringing), NOW);
    });
    const expected = { kind: 'refused', reason: 'TOO_MANY_CALLS', callId: null, pending: null };
    expect(result).toMatchObject(expected);
    expect(await one.call.count()).toBe(1);
    expect(await one.whatsAppEvent.count({ where: { takenAt: null } })).toBe(0);
  });

  test('of a suspended account is not recorded', async () => {
    await one.consumer.update({ where: { id: consumer.id }, data: { status: 'SUSPENDED' } });
    const result = await admit(await ring(await newQueueLine()));
    expect(result).toMatchObject({ kind: 'refused', reason: 'ACCOUNT_SUSPENDED', callId: null });
    expect(await one.call.count()).toBe(0);
  });

  test('of a customer who was erased meanwhile is not recorded', async () => {
    const ringing = await ring(await newQueueLine());
    const result = await createWhatsAppCall({ db: one, nodeId: 'n' }, arrivalOf(ringing), NOW);
    expect(result).toMatchObject({ kind: 'refused', reason: 'LINE_GONE', callId: null });
  });
});

describe('a callback', () => {
  const callBackOf = async (line: Channel) => {
    const callId = await created(line);
    const state = await stateOf(callId);
    if (state.phase !== 'answering') throw new Error(`the call is ${state.phase}`);
    await stepCall(one, callId, { type: 'terminate' }, NOW);
    return { callId, wait: state.wait, leaseNodeId: 'n' };
  };

  test('is an outbound call on the line that the customer called', async () => {
    const line = await newQueueLine();
    const request = await callBackOf(line);
    expect(await createCallback(one, request, NOW)).toMatchObject({ kind: 'created' });
    const made = await one.call.findUniqueOrThrow({ where: { callbackOf: request.callId } });
    expect(made).toMatchObject({
      direction: 'OUTBOUND',
      channelRef: line.ref,
      channelType: 'WHATSAPP',
      sipTrunkId: null,
      customerAddress: CALLER,
      customerAddressType: 'WHATSAPP_USER',
      mediaPath: 'ROOM',
    });
    expect(await stateOf(made.id)).toMatchObject({
      phase: 'callback',
      dial: { provider: 'WHATSAPP', channelId: line.id, address: CALLER },
    });
  });

  test('is refused if the line has no access token any more', async () => {
    const line = await newQueueLine();
    const request = await callBackOf(line);
    await one.channel.update({ where: { id: line.id }, data: { credentialsSealed: null } });
    const reason = 'The line cannot place calls any more.';
    expect(await createCallback(one, request, NOW)).toEqual({ kind: 'refused', reason });
  });
});

test('a call that was over before it could ring is recorded as missed and rings nobody', async () => {
  const owner = await newAgent();
  const ringing = await ring(await newLine({ ownerAgentId: owner.id }));
  await one.$transaction((tx: Tx) => take(tx, ringing));
  const record = () => recordMissedWhatsAppCall({ db: one, nodeId: 'n' }, arrivalOf(ringing), NOW);
  const recorded = await record();
  expect(recorded.kind).toBe('created');
  expect(await callOf(recorded.callId ?? 0)).toMatchObject({
    status: 'TERMINATED',
    terminationReason: 'CANCELLED',
    terminatedBy: 'CUSTOMER',
    agentRef: owner.ref,
    endedAt: NOW,
  });
  expect(await one.liveCall.count()).toBe(0);
  expect((await one.agent.findUniqueOrThrow({ where: { id: owner.id } })).currentCallId).toBeNull();
  const events = await one.event.findMany({ orderBy: { sequence: 'asc' } });
  expect(events.map(({ type }) => type)).toEqual(['call.created', 'call.ended']);
  expect(await one.usageRecord.findMany({ select: { channelType: true, seconds: true } })).toContainEqual({
    channelType: 'WHATSAPP',
    seconds: 0,
  });
  expect(await record()).toMatchObject({ kind: 'known', callId: recorded.callId });
});
