/** An INVITE that media has withdrawn is no live call, whatever the order in which the engine decides and learns of the withdrawal. */
import type { Consumer, Database, SipTrunk, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import type { InviteRequest, LegEnd } from '@clarion/protocol/media';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { carrierTrunk } from './__fixtures__/carrier-trunk.ts';
import { queueLine } from './__fixtures__/queue-line.ts';
import { createInboundCall, InviteExpired } from './create-inbound-call.ts';
import { stepCall } from './step-call.ts';
import { pruneWithdrawnInvites, withdrawalReason, withdrawInvite } from './withdraw-invite.ts';

const ADDRESS = '+442079460001';
const DAY_MS = 24 * 60 * 60_000;

let testDatabase: TestDatabase;
/** Two realtime nodes. */
let one: Database;
let two: Database;
let consumer: Consumer;
let tenant: Tenant;
let trunk: SipTrunk;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  one = testDatabase.connect();
  two = testDatabase.connect();
  consumer = await one.consumer.create({ data: { slug: 'acme', name: 'Acme', planCallsAtOnce: 1_000 } });
  const consumerId = consumer.id;
  tenant = await one.tenant.create({ data: { consumerId, ref: 't', name: 'T' } });
  trunk = await carrierTrunk(one, consumerId);
  await queueLine(one, { tenantId: tenant.id, sipTrunkId: trunk.id, address: ADDRESS });
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await one.call.deleteMany({});
  await one.sipRefusal.deleteMany({});
});

const endOf = (cause: LegEnd['cause'], sipStatus: number | null): LegEnd => ({
  cause,
  sipStatus,
  sipReason: null,
  q850: null,
  provisional: false,
  message: cause,
});
const cancelled = endOf('remote-cancel', null);
const undecided = endOf('media-error', 503);

const ask = () => inviteRequest({ requestUser: ADDRESS });
const decide = (db: Database, request: InviteRequest, expired = () => false) =>
  createInboundCall({ db, ingressDomain: null, nodeId: 'n', expired }, request, new Date());

/** What a realtime node does with the fact. */
async function withdraw(db: Database, request: InviteRequest, end: LegEnd): Promise<void> {
  const context = { db, ingressDomain: null, mayRecord: () => true };
  const why = withdrawalReason(end);
  const callId = await withdrawInvite(context, { request, why }, new Date());
  if (callId === null) return;
  await stepCall(db, callId, { type: 'leg-ended', legId: request.legId, end, stats: null }, new Date());
}

test('an INVITE that is withdrawn before the decision never becomes a call, and its refusal is recorded once', async () => {
  const request = ask();
  await withdraw(one, request, undecided);
  await withdraw(two, request, undecided);
  expect((await decide(two, request)).answer).toMatchObject({ action: 'reject', status: 503 });
  expect(await one.call.count()).toBe(0);
  expect(await one.sipRefusal.findMany()).toMatchObject([
    {
      trunkId: trunk.id,
      status: 503,
      number: ADDRESS,
      code: 'no_decision',
      reason: expect.stringContaining('in time'),
    },
  ]);
});

test('an INVITE that media rejected because realtime was overloaded is recorded as that', async () => {
  const request = ask();
  const context = { db: one, ingressDomain: null, mayRecord: () => true };
  const why = withdrawalReason({ ...undecided, reason: 'overloaded' });
  await withdrawInvite(context, { request, why }, new Date());
  expect(await one.sipRefusal.findMany({ orderBy: { id: 'desc' }, take: 1 })).toMatchObject([
    { status: 503, code: 'overloaded', reason: expect.stringContaining('overloaded') },
  ]);
});

test('an INVITE that is withdrawn after the decision ends its call as if its leg had ended', async () => {
  for (const [end, outcome] of [
    [cancelled, { status: 'TERMINATED', terminatedBy: 'CUSTOMER' }],
    [undecided, { status: 'FAILED', terminatedBy: 'SYSTEM' }],
  ] as const) {
    const request = ask();
    const { answer } = await decide(one, request);
    expect(answer.action).toBe('accept');
    await withdraw(two, request, end);
    await withdraw(one, request, end);
    expect(await one.call.findUnique({ where: { inviteId: request.inviteId } })).toMatchObject(outcome);
    expect(await one.liveCall.count()).toBe(0);
  }
  expect(await one.sipRefusal.count()).toBe(0);
  expect(await one.event.count({ where: { type: 'call.ended' } })).toBe(2);
});

test('decisions and withdrawals that race on two nodes leave no live call and no INVITE without a trace', async () => {
  const requests = Array.from({ length: 40 }, ask);
  await Promise.all(
    requests.flatMap((request, index) => {
      const [first, second] = index % 2 ? [one, two] : [two, one];
      const end = index % 3 ? cancelled : undecided;
      return [decide(first, request), withdraw(second, request, end), decide(second, request)];
    }),
  );
  expect(await one.liveCall.count()).toBe(0);
  const calls = await one.call.findMany({ select: { endedAt: true } });
  expect(calls.every(({ endedAt }) => endedAt !== null)).toBe(true);
  expect(calls.length + (await one.sipRefusal.count())).toBe(requests.length);
  expect(await one.consumerLiveCalls.findUnique({ where: { consumerId: consumer.id } })).toMatchObject({
    calls: 0,
  });
});

test('a decision whose time is over changes nothing, even just before it would be committed', async () => {
  for (const checksUntilExpired of [0, 1, 2]) {
    const request = ask();
    let checks = 0;
    await expect(decide(one, request, () => checks++ >= checksUntilExpired)).rejects.toThrow(InviteExpired);
    expect(checks).toBe(checksUntilExpired + 1);
    expect(await one.call.count()).toBe(0);
    // Another node may still decide.
    expect((await decide(two, request)).answer.action).toBe('accept');
    await one.call.deleteMany({});
  }
});

test('withdrawals are deleted after a day', async () => {
  await one.withdrawnInvite.deleteMany({});
  const request = ask();
  await withdraw(one, request, cancelled);
  expect(await pruneWithdrawnInvites(one, new Date(Date.now() + DAY_MS / 2))).toBe(0);
  expect(await pruneWithdrawnInvites(one, new Date(Date.now() + DAY_MS + 60_000))).toBe(1);
});
