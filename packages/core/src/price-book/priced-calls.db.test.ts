/** What calls cost, from the prices at their start to the amounts of their usage records: every method, direction and owner of a trunk. */
import type { Agent, Channel, Consumer, Database, Prisma, RateDeck, SipTrunk, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { ApiError } from '@clarion/protocol';
import { createCallBody } from '@clarion/protocol/v1/call/calls';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiContext } from '../__fixtures__/api-context.ts';
import { createInboundCall } from '../call-engine/create-inbound-call.ts';
import { forceEnd } from '../call-engine/force-end.ts';
import { stepCall } from '../call-engine/step-call.ts';
import { carrierTrunk } from '../call-engine/__fixtures__/carrier-trunk.ts';
import { createCall } from '../call/create-call.ts';
import { deleteCall } from '../call/delete-call.ts';
import { eraseCustomer } from '../call/erase-customer.ts';
import type { Ctx } from '../context.ts';
import { listUsage } from '../usage/list-usage.ts';
import { finishRecording } from '../recording/finish-recording.ts';
import { createDeck, createPlan, entry, type Entry, type Item } from './__fixtures__/prices.ts';

const LINE = '+442079460001';
const CUSTOMER = '+447700900456';
const START = new Date('2026-03-02T10:00:00.000Z');
const after = (ms: number) => new Date(START.getTime() + ms);

let testDatabase: TestDatabase;
let db: Database;
let consumer: Consumer;
let tenant: Tenant;
let agent: Agent;
let line: Channel;
let own: SipTrunk;
let platform: SipTrunk;
let buy: RateDeck;
let inboundBuy: RateDeck;
let sell: RateDeck;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  consumer = await db.consumer.create({ data: { slug: 'acme', name: 'Acme' } });
  const tenantId = (tenant = await db.tenant.create({
    data: { consumerId: consumer.id, ref: 't', name: 'T' },
  })).id;
  agent = await db.agent.create({ data: { tenantId, ref: 'ada', name: 'Ada' } });
  own = await carrierTrunk(db, consumer.id);
  platform = await carrierTrunk(db, null, {
    name: 'platform',
    ingressLabel: 'platform',
    inboundSourceCidrs: [],
  });
  buy = await deck('BUY', [entry('44', '0.01', 1, 1), entry('447', '0.02', 30, 6, '0.001')]);
  inboundBuy = await deck('BUY', [entry('44', '0.003', 60, 60)]);
  sell = await deck('SELL', [entry('44', '0.05', 60, 60), entry('447', '0.1', 60, 60, '0.02')]);
  const queue = await db.queue.create({
    data: { tenantId, ref: 'sales', name: 'Sales', answerWhileWaiting: true },
  });
  line = await db.channel.create({
    data: { tenantId, ref: 'main', type: 'SIP', address: LINE, sipTrunkId: own.id, inboundQueueId: queue.id },
  });
});
afterAll(() => testDatabase.drop());

beforeEach(async () => {
  await db.call.deleteMany({});
  await db.usageRecord.deleteMany({});
  await setTrunk(own, { buyDeckId: null, inboundBuyDeckId: null });
  await db.consumer.update({ where: { id: consumer.id }, data: { pricePlanId: null, planMaxRate: null } });
  await db.tenant.update({ where: { id: tenant.id }, data: { pricePlanId: null } });
  line = await db.channel.update({
    where: { id: line.id },
    data: { sipTrunkId: own.id, backupSipTrunkId: null, leastCostRouting: false, marginGuard: false },
  });
});

const setTrunk = (trunk: SipTrunk, data: Prisma.SipTrunkUncheckedUpdateInput) =>
  db.sipTrunk.update({ where: { id: trunk.id }, data });

const deck = (
  kind: 'BUY' | 'SELL',
  entries: readonly Entry[],
  change?: Partial<Prisma.RateDeckUncheckedCreateInput>,
) => createDeck(db, consumer.id, kind, entries, change);

async function setPlan(of: 'account' | 'tenant', items: readonly Item[]): Promise<void> {
  const consumerId = of === 'account' ? null : consumer.id;
  const data = { pricePlanId: (await createPlan(db, { consumerId, name: of, currency: 'USD' }, items)).id };
  if (of === 'account') consumer = await db.consumer.update({ where: { id: consumer.id }, data });
  else tenant = await db.tenant.update({ where: { id: tenant.id }, data });
}

const contextAt = async (now: Date): Promise<Ctx> =>
  apiContext(db, await db.consumer.findUniqueOrThrow({ where: { id: consumer.id } }), now);

const body = createCallBody.parse({
  channel_ref: 'main',
  agent_ref: 'ada',
  customer: { address: CUSTOMER },
});

/** Places a call that the customer answers after 5 s, on the trunk given or the first one. */
async function answered(trunkId?: number): Promise<number> {
  const { callId } = await createCall(await contextAt(START), 't', body);
  const start = { type: 'start', agentId: agent.id, deviceId: 'd', legId: 'leg', mediaNodeId: 'm' } as const;
  await stepCall(db, callId, start, after(100));
  await stepCall(db, callId, { type: 'leg-connected', legId: 'leg', codec: 'opus' }, after(200));
  const connected = { type: 'leg-connected', legId: `call-${callId}-customer`, codec: 'PCMA' } as const;
  await stepCall(db, callId, { ...connected, ...(trunkId !== undefined && { trunkId }) }, after(5_000));
  return callId;
}

async function talk(ms: number, trunkId?: number): Promise<number> {
  const callId = await answered(trunkId);
  await stepCall(db, callId, { type: 'terminate' }, after(5_000 + ms));
  return callId;
}

/** A caller who hears the audio of a queue for this long: our 200, and no agent. */
async function waitIn(ms: number): Promise<number> {
  const { answer } = await createInboundCall(
    { db, ingressDomain: null, nodeId: 'n' },
    inviteRequest({ requestUser: LINE }),
    START,
  );
  if (answer.action !== 'accept') throw new Error(answer.reason);
  const { callId } = answer;
  const { state } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
  const { carrierLegId } = state as { carrierLegId: string };
  await stepCall(db, callId, { type: 'leg-connected', legId: carrierLegId, codec: 'PCMA' }, after(1_000));
  await stepCall(db, callId, { type: 'terminate' }, after(1_000 + ms));
  return callId;
}

async function usageOf(callId: number) {
  const { usage } = await listUsage(await contextAt(after(86_400_000)), {
    tenantRef: null,
    from: null,
    to: null,
    page: 1,
    limit: 50,
  });
  const record = usage.find((one) => one.callId === callId && one.kind === 'CALL');
  if (!record) throw new Error('no usage record');
  return record;
}

const rated = (amount: string, currency = 'USD') => ({ amount, currency, status: 'RATED', reason: null });
const noRate = (reason: string) => ({ amount: null, status: 'NO_RATE', reason });

describe('what the carrier charges', () => {
  test('an outbound call costs what the longest prefix says, for the seconds from the answer to the end', async () => {
    await setTrunk(own, { buyDeckId: buy.id });
    // 40.2 s are 41 s, and in blocks of 30/6 that is 42: 0.001 + 0.02 × 42 / 60.
    expect(await usageOf(await talk(40_200))).toMatchObject({
      seconds: 40,
      connectedSeconds: 41,
      billedSeconds: 42,
      carrierCost: rated('0.015'),
      tenantCharges: [],
      platformCost: null,
    });
  });

  test('an inbound call is priced by its own deck and the number called, from our 200 on', async () => {
    await setTrunk(own, { buyDeckId: buy.id, inboundBuyDeckId: inboundBuy.id });
    expect(await usageOf(await waitIn(61_000))).toMatchObject({
      seconds: 0,
      connectedSeconds: 61,
      billedSeconds: 120,
      carrierCost: rated('0.006'),
    });
  });

  test('an owner who hangs up as the carrier confirms our 200 has taken a call of one second', async () => {
    await setTrunk(own, { inboundBuyDeckId: inboundBuy.id });
    const address = '+442079460002';
    await db.channel.create({
      data: {
        tenantId: tenant.id,
        ref: 'own',
        type: 'SIP',
        address,
        sipTrunkId: own.id,
        ownerAgentId: agent.id,
      },
    });
    const device = { agentId: agent.id, deviceId: 'd' };
    await db.agent.update({ where: { id: agent.id }, data: { shift: 'AVAILABLE' } });
    await db.agentConnection.create({ data: { ...device, socketId: 's', nodeId: 'n' } });
    const question = inviteRequest({ requestUser: address });
    const { answer } = await createInboundCall({ db, ingressDomain: null, nodeId: 'n' }, question, START);
    if (answer.action !== 'accept') throw new Error(answer.reason);
    const { callId } = answer;
    const audio = { legId: 'leg', codec: 'PCMA' };
    await stepCall(db, callId, { type: 'accept', ...device, legId: audio.legId }, after(1_000));
    await stepCall(db, callId, { type: 'hangup', agentId: agent.id }, after(1_100));
    const connected = { type: 'leg-connected', legId: question.legId, codec: 'PCMA', agent: audio } as const;
    expect(await stepCall(db, callId, connected, after(1_200))).toMatchObject({ state: { phase: 'ended' } });
    expect(await usageOf(callId)).toMatchObject({
      connectedSeconds: 1,
      billedSeconds: 60,
      carrierCost: rated('0.003'),
    });
  });

  test('a call that was not answered costs nothing', async () => {
    await setTrunk(own, { buyDeckId: buy.id });
    const { callId } = await createCall(await contextAt(START), 't', body);
    await stepCall(db, callId, { type: 'terminate' }, after(90_000));
    expect(await usageOf(callId)).toMatchObject({
      connectedSeconds: 0,
      billedSeconds: 0,
      carrierCost: rated('0'),
    });
  });

  test('without a price the reason is said', async () => {
    expect((await usageOf(await talk(1_000))).carrierCost).toMatchObject(
      noRate('No rate deck applies to this call.'),
    );
    const french = await deck('BUY', [entry('33', '1', 60, 60)]);
    await setTrunk(own, { buyDeckId: french.id });
    expect((await usageOf(await talk(1_000))).carrierCost).toMatchObject(
      noRate('The rate deck of the trunk has no price for this number.'),
    );
    await db.channel.update({ where: { id: line.id }, data: { sipTrunkId: platform.id } });
    expect((await usageOf(await talk(1_000))).carrierCost).toMatchObject(
      noRate('The call used a platform trunk; see its platform cost.'),
    );
  });

  test('the price is the one in force when the call began', async () => {
    const changing = await deck('BUY', []);
    await db.rateEntry.createMany({
      data: [
        { ...entry('44', '0.06', 60, 60), deckId: changing.id, effectiveTo: after(1_000) },
        { ...entry('44', '0.6', 60, 60), deckId: changing.id, effectiveFrom: after(1_000) },
      ],
    });
    await setTrunk(own, { buyDeckId: changing.id });
    const callId = await answered();
    await db.rateEntry.deleteMany({ where: { deckId: changing.id } });
    await stepCall(db, callId, { type: 'terminate' }, after(10_000));
    expect((await usageOf(callId)).carrierCost).toMatchObject(rated('0.06'));
  });
});

describe('what the tenant pays', () => {
  test.each<[string, Item, string, object]>([
    [
      'a flat rate in the blocks of the item',
      { flatRate: '0.06', initialSeconds: 30, incrementSeconds: 1 },
      '0.041',
      { billedSeconds: 41, method: 'FLAT' },
    ],
    [
      'the deck, in the blocks of its entry and with its connection fee',
      { method: 'DECK' },
      '0.12',
      { billedSeconds: 60, method: 'DECK' },
    ],
    [
      'the deck with a markup, also on the connection fee',
      { method: 'DECK_MARKUP', markupPercent: '25' },
      '0.15',
      { billedSeconds: 60, method: 'DECK_MARKUP', markupPercent: '25' },
    ],
    [
      'the cost of the carrier with a markup',
      { method: 'DECK_MARKUP', markupPercent: '50', deckId: null },
      '0.0225',
      { billedSeconds: 42, method: 'DECK_MARKUP', markupPercent: '50' },
    ],
  ])('%s', async (_, item, amount, { billedSeconds, ...how }: { billedSeconds?: number }) => {
    await setTrunk(own, { buyDeckId: buy.id });
    const deckId = item.method === 'DECK' || item.method === 'DECK_MARKUP' ? sell.id : null;
    await setPlan('tenant', [{ deckId, ...item }]);
    const usage = await usageOf(await talk(40_200));
    expect(usage).toMatchObject({ billedSeconds, carrierCost: rated('0.015') });
    expect(usage.tenantCharges).toEqual([expect.objectContaining({ amount, currency: 'USD', ...how })]);
  });

  test('a markup on a call over a platform trunk is on what the operator charges', async () => {
    await db.channel.update({ where: { id: line.id }, data: { sipTrunkId: platform.id } });
    await setPlan('account', [{ flatRate: '0.04', initialSeconds: 1, incrementSeconds: 1 }]);
    await setPlan('tenant', [{ method: 'DECK_MARKUP', markupPercent: '100' }]);
    expect(await usageOf(await talk(29_500))).toMatchObject({
      billedSeconds: 30,
      platformCost: { amount: '0.02', currency: 'USD' },
      tenantCharges: [{ amount: '0.04', method: 'DECK_MARKUP', markupPercent: '100', entryId: null }],
    });
  });

  test('the item that names the direction and the owner of the trunk applies', async () => {
    await setPlan('tenant', [
      { flatRate: '1' },
      { flatRate: '2', direction: 'INBOUND' },
      { flatRate: '3', direction: 'OUTBOUND', trunkOwner: 'CONSUMER' },
      { flatRate: '4', direction: 'OUTBOUND', trunkOwner: 'PLATFORM' },
    ]);
    expect((await usageOf(await talk(1_000))).tenantCharges).toMatchObject([{ amount: '3' }]);
    expect((await usageOf(await waitIn(1_000))).tenantCharges).toMatchObject([{ amount: '2' }]);
  });

  test('nothing, if the markup is on a cost in another currency', async () => {
    const euro = await deck('BUY', [entry('44', '0.01', 60, 60)], { currency: 'EUR' });
    await setTrunk(own, { buyDeckId: euro.id });
    await setPlan('tenant', [{ method: 'DECK_MARKUP', markupPercent: '10' }]);
    expect(await usageOf(await talk(1_000))).toMatchObject({
      carrierCost: rated('0.01', 'EUR'),
      tenantCharges: [],
    });
  });

  test('the plan at the start of the call, whatever happens to it meanwhile', async () => {
    await setPlan('tenant', [{ flatRate: '0.5' }]);
    const callId = await answered();
    await setPlan('tenant', [{ flatRate: '9' }]);
    await stepCall(db, callId, { type: 'terminate' }, after(10_000));
    expect((await usageOf(callId)).tenantCharges).toMatchObject([{ amount: '0.5' }]);
  });

  test('a recording by the minute', async () => {
    await setPlan('tenant', [
      { kind: 'RECORDING', flatRate: '0.006', initialSeconds: 1, incrementSeconds: 1 },
    ]);
    const callId = await talk(1_000);
    const storageKey = `tenants/${tenant.id}/recordings/${callId}/0.ogg`;
    await db.recording.create({ data: { callId, status: 'PROCESSING', storageKey } });
    const finished = {
      callId,
      storageProvider: 'local',
      storageKey,
      sizeBytes: 1,
      durationMs: 30_000,
    } as const;
    expect(await finishRecording(db, finished, after(20_000))).toBe('taken');
    const record = await db.usageRecord.findFirstOrThrow({ where: { callId, kind: 'RECORDING' } });
    expect(record).toMatchObject({ seconds: 30, billedSeconds: 30, tenantMethod: 'FLAT' });
    expect(record.tenantCharge?.toFixed()).toBe('0.003');
  });
});

describe('two trunks', () => {
  let second: SipTrunk;
  beforeAll(async () => {
    second = await carrierTrunk(db, consumer.id, {
      name: 'second',
      ingressLabel: 'second',
      inboundSourceCidrs: [],
    });
    const cheap = await deck('BUY', [entry('44', '0.001', 60, 60)]);
    await setTrunk(second, { buyDeckId: cheap.id });
  });
  const useBoth = (change: Prisma.ChannelUncheckedUpdateInput = {}) =>
    db.channel.update({ where: { id: line.id }, data: { backupSipTrunkId: second.id, ...change } });
  const dialOf = async () => {
    const { callId } = await createCall(await contextAt(START), 't', body);
    const { state } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
    const { dial } = state as { dial: { trunkId: number; backup?: { trunkId: number } } };
    return [dial.trunkId, dial.backup?.trunkId ?? null];
  };

  test('the cost is that of the trunk that carried the call', async () => {
    await setTrunk(own, { buyDeckId: buy.id });
    await useBoth();
    expect((await usageOf(await talk(1_000, second.id))).carrierCost).toMatchObject(rated('0.001'));
    expect((await usageOf(await talk(1_000, own.id))).carrierCost).toMatchObject(rated('0.011'));
  });

  test('least-cost routing tries the cheaper one first', async () => {
    await setTrunk(own, { buyDeckId: buy.id });
    await useBoth();
    expect(await dialOf()).toEqual([own.id, second.id]);
    await useBoth({ leastCostRouting: true });
    expect(await dialOf()).toEqual([second.id, own.id]);
  });

  test('a margin guard leaves out the trunk that would lose money, also as the second one', async () => {
    await setTrunk(own, { buyDeckId: buy.id });
    await setPlan('tenant', [{ flatRate: '0.01' }]);
    await useBoth({ marginGuard: true });
    expect(await dialOf()).toEqual([second.id, null]);
    await setPlan('tenant', [{ flatRate: '0.0001' }]);
    await expect(dialOf()).rejects.toMatchObject({ code: 'rate_too_high' });
  });

  test('a destination that costs more than the plan allows is refused, and creates no call', async () => {
    await setTrunk(own, { buyDeckId: buy.id });
    await db.consumer.update({ where: { id: consumer.id }, data: { planMaxRate: '0.019999' } });
    await expect(dialOf()).rejects.toBeInstanceOf(ApiError);
    expect(await db.call.count()).toBe(0);
    await useBoth();
    expect(await dialOf()).toEqual([second.id, null]);
    await db.consumer.update({ where: { id: consumer.id }, data: { planMaxRate: '0.02' } });
    expect(await dialOf()).toEqual([own.id, second.id]);
  });
});

describe('what is left of a call', () => {
  test('erasure and deletion keep the prices and remove the number', async () => {
    await setTrunk(own, { buyDeckId: buy.id });
    const [erased, deleted] = [await talk(1_000), await talk(1_000)];
    await deleteCall(await contextAt(after(60_000)), deleted);
    await eraseCustomer(await contextAt(after(60_000)), 't', { address: CUSTOMER });
    for (const callId of [erased, deleted]) {
      expect((await usageOf(callId)).carrierCost).toMatchObject(rated('0.011'));
      const row = await db.usageRecord.findFirstOrThrow({ where: { callId } });
      expect(row).toMatchObject({ pricedNumber: null, numberErased: true });
    }
  });

  test('a call whose state cannot be read is recorded with its connected seconds and no price', async () => {
    await setTrunk(own, { buyDeckId: buy.id });
    const callId = await answered();
    await forceEnd(db, callId, 'unreadable', after(15_500));
    expect(await usageOf(callId)).toMatchObject({ connectedSeconds: 11, carrierCost: { status: 'NO_RATE' } });
  });
});
