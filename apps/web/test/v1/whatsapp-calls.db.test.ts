/** Outbound calls on WhatsApp lines over the API. What WhatsApp does with them is tested in apps/realtime. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { whereWordsAre } from '../full-call.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

const ADDRESS = '+12185552828';
const USER_ID = 'US.1349abcDEF';
const path = { tenantRef: 'shop' };

let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  ({ key } = await createTenantFixture(web, 'acme'));
  await putLine('wa', '1001', {});
  await putLine('adas', '1002', { owner_agent_ref: 'ada' });
  await putLine('off', '1003', { status: 'DISABLED' });
  await putLine('bare', '1004', { credentials: null });
});
afterAll(() => web.stop());
beforeEach(async () => {
  await web.changeConsumer('acme', { planCountries: [], planCallsAtOnce: 100, planOutboundPerMinute: 600 });
  const { db } = web.runtime;
  await db.call.deleteMany();
  await db.usageRecord.deleteMany();
});

const putLine = (channelRef: string, account: string, more: Record<string, unknown>) =>
  call('putChannel', {
    key,
    path: { ...path, channelRef },
    body: {
      type: 'WHATSAPP',
      address: `+44770090${account}`,
      provider_account_id: account,
      credentials: { access_token: 'EAAG-token' },
      ...more,
    },
  });
const create = (customer: object | string = ADDRESS, more: object = {}) =>
  call('createCall', {
    key,
    path,
    body: {
      channel_ref: 'wa',
      agent_ref: 'ada',
      customer: typeof customer === 'string' ? { address: customer } : customer,
      ...more,
    },
  });
const created = async (customer?: object | string, more?: object) => (await create(customer, more)).json.call;
const dialOf = async (callId: number): Promise<unknown> => {
  const { state } = await web.runtime.db.liveCall.findUniqueOrThrow({ where: { callId } });
  return (state as { dial: unknown }).dial;
};

describe('the customer', () => {
  test.each([
    ['digits with a plus', { address: ADDRESS }],
    ['an international prefix', { address: '001 218 555 2828' }],
    ['type WHATSAPP_USER', { address: ADDRESS, address_type: 'WHATSAPP_USER' }],
    ['type E164', { address: '+1 (218) 555-2828', address_type: 'E164' }],
  ])('is stored as a WhatsApp number, whatever its form: %s', async (_, customer) => {
    const made = await created({ ...customer, name: 'Grace' });
    expect(made).toMatchObject({
      status: 'INITIATED',
      direction: 'OUTBOUND',
      channelRef: 'wa',
      channelType: 'WHATSAPP',
      customer: { address: ADDRESS, addressType: 'WHATSAPP_USER', name: 'Grace' },
    });
    const { id: channelId } = await web.runtime.db.channel.findFirstOrThrow({ where: { ref: 'wa' } });
    expect(await dialOf(made.callId)).toEqual({ provider: 'WHATSAPP', channelId, address: ADDRESS });
    const { sipTrunkId } = await web.runtime.db.call.findUniqueOrThrow({ where: { id: made.callId } });
    expect(sipTrunkId).toBeNull();
  });

  test('may be a user ID, to which the rules for numbers do not apply', async () => {
    await web.changeConsumer('acme', { planCountries: ['GB'] });
    const made = await created(`us.${USER_ID.slice(3)}`);
    expect(made.customer).toMatchObject({ address: USER_ID, addressType: 'WHATSAPP_USER' });
    expect(await dialOf(made.callId)).toMatchObject({ address: USER_ID });
  });

  test('is invalid as a SIP URI, or if it is neither a number nor a user ID', async () => {
    for (const customer of [
      { address: 'sip:grace@pbx.example.com' },
      { address: 'sip:grace@pbx.example.com', address_type: 'SIP_URI' },
      { address: ADDRESS, address_type: 'SIP_URI' },
      { address: 'grace' },
      { address: '12345' },
    ]) {
      expectError(await create(customer), 409, 'invalid_customer', 'customer.address');
    }
    const onPhoneLine = { address: ADDRESS, address_type: 'WHATSAPP_USER' };
    expectError(
      await create(onPhoneLine, { channel_ref: 'main' }),
      409,
      'invalid_customer',
      'customer.address',
    );
  });

  test('is subject to the rules for countries, satellites, premium and emergency numbers', async () => {
    for (const address of ['112', '+44999']) {
      expectError(await create(address), 403, 'emergency_not_supported');
    }
    for (const address of ['+881612345678', '+19005551234']) {
      expectError(await create(address), 403, 'destination_blocked');
    }
    await web.changeConsumer('acme', { planCountries: ['GB'] });
    expectError(await create(), 403, 'destination_not_allowed');
    expect((await create('+442079460123')).status).toBe(201);
  });
});

describe('the line', () => {
  test('needs an access token and must be active', async () => {
    const answer = await create(ADDRESS, { channel_ref: 'bare' });
    expectError(answer, 409, 'unsupported_channel');
    expect(answer.error?.message).toBe('The line has no access token.');
    expectError(await create(ADDRESS, { channel_ref: 'off' }), 409, 'channel_disabled');
  });

  test('of an agent is used by that agent alone, and its outbound calls use a room', async () => {
    const personal = { channel_ref: 'adas' };
    expectError(await create(ADDRESS, { ...personal, agent_ref: 'ben' }), 403, 'line_not_owned');
    expect((await created(ADDRESS, personal)).mediaPath).toBe('ROOM');
  });
});

test('the limits of concurrent calls and of calls per minute apply', async () => {
  await web.changeConsumer('acme', { planCallsAtOnce: 1 });
  await created();
  expectError(await create(), 409, 'too_many_calls');
  await web.changeConsumer('acme', { planCallsAtOnce: 100, planOutboundPerMinute: 1 });
  expectError(await create(), 429, 'rate_limited');
});

test('an ended call is counted as usage of WhatsApp, without a trunk', async () => {
  const { callId } = await created();
  expect((await call('terminateCall', { key, path: { callId } })).status).toBe(202);
  expect(await web.runtime.db.usageRecord.findMany({ where: { callId } })).toMatchObject([
    { kind: 'CALL', channelType: 'WHATSAPP', direction: 'OUTBOUND', trunkOwner: null, sipTrunkId: null },
  ]);
});

describe('finding and erasing calls', () => {
  const idsOf = async (customer: string) => {
    const query = new URLSearchParams({ customer }).toString();
    return (await call('listCalls', { key, path, query })).json.calls.map(({ callId }) => callId);
  };
  const ended = async (customer: string) => {
    const { callId } = await created(customer);
    await call('terminateCall', { key, path: { callId } });
    return callId;
  };

  test('a filter takes a number in any form, and a user ID', async () => {
    const [byNumber, byUserId] = [await ended(ADDRESS), await ended(USER_ID)];
    for (const form of [ADDRESS, ADDRESS.slice(1), `00${ADDRESS.slice(1)}`]) {
      expect(await idsOf(form)).toEqual([byNumber]);
    }
    expect(await idsOf(USER_ID)).toEqual([byUserId]);
    expect(await idsOf(`us.${USER_ID.slice(3)}`)).toEqual([byUserId]);
    // The rest of a user ID distinguishes upper from lower case.
    expect(await idsOf(USER_ID.toLowerCase())).toEqual([]);
  });

  test('an erasure removes a customer by user ID, and one who is known by both', async () => {
    await ended(USER_ID);
    const erase = (address: string) => call('eraseCustomer', { key, path, body: { address } });
    expect((await erase(USER_ID)).json).toMatchObject({ callsErased: 1 });
    expect(await whereWordsAre(web, [USER_ID])).toEqual([]);
    await ended(ADDRESS);
    await ended(USER_ID);
    const { db } = web.runtime;
    const { id: channelId } = await db.channel.findFirstOrThrow({ where: { ref: 'wa' } });
    const known = { channelId, customerAddress: ADDRESS, userId: USER_ID, updatedAt: new Date() };
    await db.whatsAppPermission.create({ data: known });
    expect((await erase(ADDRESS)).json).toMatchObject({ callsErased: 2, activeCallsSkipped: 0 });
    expect(await whereWordsAre(web, [USER_ID, ADDRESS.slice(1)])).toEqual([]);
  });

  test('a call at WhatsApp goes with its call, and one in progress is skipped', async () => {
    const { db } = web.runtime;
    const { callId, customer } = await created();
    const { id: channelId } = await db.channel.findFirstOrThrow({ where: { ref: 'wa' } });
    await db.whatsAppCall.create({
      data: { channelId, callId, whatsAppCallId: `wacid.${ADDRESS.slice(1)}`, progress: {} },
    });
    const erase = () => call('eraseCustomer', { key, path, body: { address: customer.address ?? '' } });
    expect((await erase()).json).toMatchObject({ callsErased: 0, activeCallsSkipped: 1 });
    await call('terminateCall', { key, path: { callId } });
    expect((await erase()).json).toMatchObject({ callsErased: 1 });
    expect(await db.whatsAppCall.count()).toBe(0);
    expect(await whereWordsAre(web, [ADDRESS.slice(1)])).toEqual([]);
  });
});
