/** Credit of calls on real nodes: shared by two of them, ended by a timer in the second in which it ends, also if the node dies that set it. */
import { randomUUID } from 'node:crypto';
import { book } from '@clarion/core/billing/book';
import type { BillingAccount, Channel } from '@clarion/db';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';

const MINUTE = { flatRate: '0.05', initialSeconds: 60, incrementSeconds: 60 };
/** A cent a second. */
const SECOND = { flatRate: '0.6', initialSeconds: 1, incrementSeconds: 1 };
/** A dead node delays the end of a call by at most this. */
const DELAY_MS = 1_000;

let fixture: RealtimeFixture;
let nodes: (Realtime & { url: string })[];
/** Each is connected to one of the nodes. */
let media: FakeMedia[];
/** Connected to both, as media is in a deployment: either node can end its calls at once. */
let mediaOfAll: FakeMedia;
let account: BillingAccount;
let line: Channel;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  nodes = [await fixture.startNode(), await fixture.startNode()];
  media = [await fixture.media(nodes.slice(0, 1)), await fixture.media(nodes.slice(1))];
  mediaOfAll = await fixture.media(nodes);
  const queue = await fixture.queue([], { answerWhileWaiting: true });
  line = await fixture.line({ inboundQueueId: queue.id });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  const { db, consumer, tenant } = fixture;
  account = await db.billingAccount.upsert({
    where: { tenantId: tenant.id },
    create: {
      ...{ consumerId: consumer.id, owner: 'TENANT', tenantId: tenant.id, tenantRef: tenant.ref },
      ...{ mode: 'PREPAID', currency: 'USD', invoiceDueDays: 15 },
    },
    update: {},
  });
});

async function setPrice(price: typeof MINUTE): Promise<void> {
  const { db, consumer, tenant } = fixture;
  const plan = await db.pricePlan.create({
    data: {
      ...{ consumerId: consumer.id, name: randomUUID(), currency: 'USD' },
      items: { create: { kind: 'CALL', method: 'FLAT', position: 0, ...price } },
    },
  });
  await db.tenant.update({ where: { id: tenant.id }, data: { pricePlanId: plan.id } });
  // The nodes keep lines in memory until they are notified of the change.
  await fixture.until(
    async () => ((await db.tenant.count({ where: { pricePlanId: plan.id } })) === 1 ? true : undefined),
    'the plan',
  );
}

async function setBalance(balance: string): Promise<void> {
  const { balance: before } = await fixture.db.billingAccount.findUniqueOrThrow({
    where: { id: account.id },
  });
  const amount = (Number(balance) - Number(before)).toFixed(6);
  if (Number(amount) === 0) return;
  const entry = {
    kind: 'ADJUSTMENT',
    amount,
    source: `adjustment:${randomUUID()}`,
    description: null,
  } as const;
  await book(fixture.db, account.id, entry, new Date());
}

const funds = async () => {
  const { balance, reserved } = await fixture.db.billingAccount.findUniqueOrThrow({
    where: { id: account.id },
  });
  return [balance.toFixed(), reserved.toFixed()];
};

/** A caller who hears hold audio: the call is charged. */
async function answeredCall(): Promise<{ callId: number; media: FakeMedia }> {
  const { callId, legId } = await mediaOfAll.ring({ requestUser: line.address.slice(1) });
  await mediaOfAll.command('carrier:answer', callId);
  mediaOfAll.connected(callId, legId);
  return { callId, media: mediaOfAll };
}

test('of calls that arrive at two nodes at once exactly those begin that the credit covers', async () => {
  await setPrice(MINUTE);
  await setBalance('1');
  const { address } = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
  // On a slow machine some are not decided in time, and become no calls.
  const decided = await Promise.allSettled(
    Array.from({ length: 100 }, (_, index) => media[index % 2]?.invite({ requestUser: address.slice(1) })),
  );
  const answers = decided.flatMap((result) =>
    result.status === 'fulfilled' ? (result.value?.answer ?? []) : [],
  );
  const accepted = answers.flatMap((answer) => (answer.action === 'accept' ? [answer.callId] : []));
  expect(accepted).toHaveLength(20);
  expect(await funds()).toEqual(['1', '1']);
  const refused = { terminationReason: 'CREDIT_EXHAUSTED', terminatedBy: 'SYSTEM' };
  expect(await fixture.db.call.count({ where: refused })).toBe(answers.length - accepted.length);
  await Promise.all(accepted.map((callId) => fixture.terminate(callId)));
  expect(await funds()).toEqual(['1', '0']);
});

test('a call ends in the second in which its credit does, and media releases it', async () => {
  await setPrice(SECOND);
  await setBalance('0.02');
  const { callId, media: node } = await answeredCall();
  await node.released(callId);
  const releasedAt = Date.now();
  const { connectedAt } = await fixture.db.callLeg.findFirstOrThrow({ where: { callId, type: 'CUSTOMER' } });
  const talkedMs = releasedAt - (connectedAt?.getTime() ?? 0);
  expect(talkedMs).toBeGreaterThanOrEqual(2_000);
  expect(talkedMs).toBeLessThan(2_000 + DELAY_MS);
  expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'CREDIT_EXHAUSTED' });
  expect(await funds()).toEqual(['0', '0']);
});

test('a top-up during the call extends it', async () => {
  await setPrice(SECOND);
  await setBalance('0.02');
  const { callId } = await answeredCall();
  const reserved = () => fixture.db.creditReservation.findFirst({ where: { callId } });
  await fixture.until(
    async () => ((await reserved())?.paidSeconds === 2 ? true : undefined),
    'the whole credit',
  );
  await setBalance('5');
  await fixture.until(async () => (((await reserved())?.paidSeconds ?? 0) > 50 ? true : undefined), 'more');
  expect((await fixture.db.call.findUniqueOrThrow({ where: { id: callId } })).endedAt).toBeNull();
  await fixture.terminate(callId);
});

test('another node ends the call if the one dies that would have done so', async () => {
  await setPrice(SECOND);
  await setBalance('0.04');
  const { callId } = await answeredCall();
  const reservation = await fixture.until(async () => {
    const found = await fixture.db.creditReservation.findFirst({ where: { callId } });
    return found?.paidSeconds === 4 ? found : undefined;
  }, 'the whole credit');
  await nodes[0]?.stop();
  const { terminationReason } = await fixture.ended(callId);
  expect(terminationReason).toBe('CREDIT_EXHAUSTED');
  expect(Date.now() - (reservation.paidUntil?.getTime() ?? 0)).toBeLessThan(DELAY_MS);
  expect(await funds()).toEqual(['0', '0']);
});
