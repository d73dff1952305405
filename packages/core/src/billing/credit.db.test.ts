/** Credit is reserved while calls run: exactly what the accounts can pay for is talked, and nothing is charged twice or lost. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { carrierTrunk } from '../call-engine/__fixtures__/carrier-trunk.ts';
import { PaidCalls } from './__fixtures__/paid-calls.ts';

const MINUTE = { flatRate: '0.6', initialSeconds: 60, incrementSeconds: 60 };
const SECOND = { flatRate: '0.6', initialSeconds: 1, incrementSeconds: 1 };

let testDatabase: TestDatabase;
let db: Database;
let calls: PaidCalls;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  calls = await PaidCalls.create(db, 30);
});

const refusedWith = (code: string) => expect.objectContaining({ code });

describe('a call reserves', () => {
  test('its first block when it is created, and releases it when it ends unanswered', async () => {
    await calls.open('TENANT', MINUTE, { balance: '1' });
    const callId = await calls.create();
    expect(await calls.funds('TENANT')).toEqual(['1', '0.6']);
    await calls.hangUp(callId);
    expect(await calls.funds('TENANT')).toEqual(['1', '0']);
    expect(await calls.usage(callId)).toMatchObject({ tenantCharge: '0' });
  });

  test('more while it lasts, and is charged what it costs', async () => {
    await calls.open('TENANT', SECOND, { balance: '10' });
    const callId = await calls.dial();
    await calls.runUntil(callId, calls.now + 100_000);
    const [balance, reserved] = await calls.funds('TENANT');
    expect(balance).toBe('10');
    expect(Number(reserved)).toBeGreaterThanOrEqual(1);
    expect(Number(reserved)).toBeLessThanOrEqual(1.7);
    await calls.hangUp(callId);
    expect(await calls.funds('TENANT')).toEqual(['9', '0']);
    expect(await calls.usage(callId)).toMatchObject({ connectedSeconds: 100, tenantCharge: '1' });
  });

  test('on both accounts or on neither', async () => {
    await calls.open('TENANT', MINUTE, { balance: '1' });
    await calls.open('CONSUMER', MINUTE, { balance: '0.7' });
    const callId = await calls.create();
    expect(await calls.funds('TENANT')).toEqual(['1', '0.6']);
    expect(await calls.funds('CONSUMER')).toEqual(['0.7', '0.6']);
    await calls.change('TENANT', '1');
    await expect(calls.create(1)).rejects.toEqual(refusedWith('insufficient_balance'));
    expect(await calls.funds('TENANT')).toEqual(['2', '0.6']);
    await calls.hangUp(callId);
    expect(await calls.funds('CONSUMER')).toEqual(['0.7', '0']);
  });

  test('nothing on an account that does not pay for it', async () => {
    await calls.open('TENANT', null, { balance: '1' });
    await calls.open('CONSUMER', MINUTE, { currency: 'EUR', balance: '1' });
    const callId = await calls.dial();
    expect(await db.creditReservation.count({ where: { callId } })).toBe(0);
    await calls.hangUp(callId);
    expect(await calls.funds('CONSUMER')).toEqual(['1', '0']);
  });

  test('and one that was created before the account was opened is not charged', async () => {
    await calls.setPrice('TENANT', MINUTE);
    const callId = await calls.dial();
    await calls.open('TENANT', null, { balance: '0.1', createdAt: new Date(calls.now) });
    calls.now += 5_000;
    await calls.hangUp(callId);
    expect(await calls.funds('TENANT')).toEqual(['0.1', '0']);
  });
});

describe('a call ends in the second in which its credit does', () => {
  test('and costs exactly the balance', async () => {
    await calls.open('TENANT', SECOND, { balance: '1.005' });
    const callId = await calls.dial();
    const connectedAt = calls.now;
    await calls.runUntil(callId, calls.now + 600_000);
    expect(await calls.endOf(callId)).toBe('CREDIT_EXHAUSTED');
    expect(calls.now - connectedAt).toBe(100_000);
    expect(await calls.funds('TENANT')).toEqual(['0.005', '0']);
    expect(await calls.usage(callId)).toMatchObject({ connectedSeconds: 100, tenantCharge: '1' });
  });

  test('whichever account it is', async () => {
    await calls.open('TENANT', SECOND, { balance: '10' });
    await calls.open('CONSUMER', { ...SECOND, flatRate: '0.06' }, { balance: '0.03' });
    const callId = await calls.dial();
    await calls.runUntil(callId, calls.now + 600_000);
    expect(await calls.endOf(callId)).toBe('CREDIT_EXHAUSTED');
    expect(await calls.funds('CONSUMER')).toEqual(['0', '0']);
    expect(await calls.funds('TENANT')).toEqual(['9.7', '0']);
    expect(await calls.usage(callId)).toEqual({
      ...{ connectedSeconds: 30, billedSeconds: 30 },
      ...{ tenantCharge: '0.3', platformCost: '0.03' },
    });
  });

  test('at the credit limit of a postpaid account; without a limit it never ends', async () => {
    await calls.open('TENANT', SECOND, { mode: 'POSTPAID', creditLimit: '0.2' });
    const limited = await calls.dial();
    await calls.runUntil(limited, calls.now + 600_000);
    expect(await calls.funds('TENANT')).toEqual(['-0.2', '0']);
    await db.billingAccount.updateMany({ where: { tenantId: calls.tenant.id }, data: { creditLimit: null } });
    const free = await calls.dial();
    await calls.runUntil(free, calls.now + 600_000);
    expect(await calls.endOf(free)).toBeNull();
    await calls.hangUp(free);
    expect(await calls.funds('TENANT')).toEqual(['-6.2', '0']);
  });

  test('unless the account is topped up before', async () => {
    await calls.open('TENANT', SECOND, { balance: '0.1' });
    const callId = await calls.dial();
    const end = await calls.extend(callId);
    calls.now = end ?? 0;
    await calls.change('TENANT', '0.05');
    await calls.runUntil(callId, calls.now + 60_000);
    expect(await calls.endOf(callId)).toBe('CREDIT_EXHAUSTED');
    expect(await calls.usage(callId)).toMatchObject({ connectedSeconds: 15, tenantCharge: '0.15' });
  });

  test('also after a debit below zero, or when the account is suspended: in the second that is paid', async () => {
    await calls.open('TENANT', SECOND, { balance: '10' });
    const [debited, suspended] = [await calls.dial(0), await calls.dial(1)];
    const ends = [await calls.extend(debited), await calls.extend(suspended)];
    await calls.change('TENANT', '-20');
    await calls.runUntil(debited, calls.now + 600_000);
    await calls.change('TENANT', '30');
    await db.billingAccount.updateMany({
      where: { tenantId: calls.tenant.id },
      data: { status: 'SUSPENDED' },
    });
    await calls.runUntil(suspended, calls.now + 600_000);
    expect([await calls.endedAt(debited), await calls.endedAt(suspended)]).toEqual(ends);
    expect([await calls.endOf(debited), await calls.endOf(suspended)]).toEqual([
      'CREDIT_EXHAUSTED',
      'CREDIT_EXHAUSTED',
    ]);
  });
});

test('a first block that was reserved for a dearer trunk is used up, also by a suspended account', async () => {
  const cheap = await carrierTrunk(db, null, {
    name: `cheap-${calls.trunk.id}`,
    ingressLabel: `cheap-${calls.trunk.id}`,
  });
  await db.channel.updateMany({ where: { tenantId: calls.tenant.id }, data: { backupSipTrunkId: cheap.id } });
  const own = await carrierTrunk(db, calls.consumer.id, {
    name: 'own',
    ingressLabel: `own-${calls.trunk.id}`,
  });
  await db.channel.updateMany({ where: { tenantId: calls.tenant.id }, data: { sipTrunkId: own.id } });
  await calls.open('TENANT', MINUTE, { balance: '0.6' });
  const { pricePlanId } = await db.tenant.findUniqueOrThrow({ where: { id: calls.tenant.id } });
  await db.priceItem.create({
    data: {
      ...{ planId: pricePlanId ?? 0, position: 1, kind: 'CALL', method: 'FLAT', trunkOwner: 'CONSUMER' },
      ...SECOND,
    },
  });
  const callId = await calls.create();
  expect(await calls.funds('TENANT')).toEqual(['0.6', '0.6']);
  await db.billingAccount.updateMany({ where: { tenantId: calls.tenant.id }, data: { status: 'SUSPENDED' } });
  await calls.connect(callId, 0, own.id);
  const connectedAt = calls.now;
  await calls.runUntil(callId, calls.now + 600_000);
  expect([await calls.endOf(callId), calls.now - connectedAt]).toEqual(['CREDIT_EXHAUSTED', 60_000]);
  expect(await calls.funds('TENANT')).toEqual(['0', '0']);
});

describe('when a process was late to end it', () => {
  test('a call costs no more than what was reserved, if the account has nothing left', async () => {
    await calls.open('TENANT', SECOND, { balance: '0.1' });
    const callId = await calls.dial();
    await calls.extend(callId);
    calls.now += 14_500;
    await calls.hangUp(callId);
    expect(await calls.funds('TENANT')).toEqual(['0', '0']);
    expect(await calls.usage(callId)).toMatchObject({
      connectedSeconds: 15,
      billedSeconds: 10,
      tenantCharge: '0.1',
    });
  });

  test('a call costs all of its seconds, if the account can pay for them', async () => {
    await calls.open('TENANT', SECOND, { balance: '10' });
    const callId = await calls.dial();
    calls.now += 14_500;
    await calls.hangUp(callId);
    expect(await calls.usage(callId)).toMatchObject({ billedSeconds: 15, tenantCharge: '0.15' });
    expect(await calls.funds('TENANT')).toEqual(['9.85', '0']);
  });

  test('a call that another process extended does not end', async () => {
    await calls.open('TENANT', SECOND, { balance: '10' });
    const callId = await calls.dial();
    calls.now += 1_000;
    const ends = await Promise.all([calls.extend(callId), calls.extend(callId), calls.extend(callId)]);
    expect(ends.filter((end) => end !== null && end <= calls.now)).toEqual([]);
    expect(await calls.endOf(callId)).toBeNull();
    const reservation = await db.creditReservation.findFirstOrThrow({ where: { callId } });
    expect([reservation.paidSeconds, reservation.amount.toFixed()]).toEqual([61, '0.61']);
    await calls.hangUp(callId);
  });
});

test('of concurrent calls exactly those begin that the credit covers', async () => {
  await calls.open('TENANT', { ...MINUTE, flatRate: '0.05' }, { balance: '1' });
  await calls.open('CONSUMER', { ...MINUTE, flatRate: '0.01' }, { balance: '0.125' });
  const results = await Promise.allSettled(calls.agents.map((_, agent) => calls.create(agent)));
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  expect(results.length - refused.length).toBe(12);
  for (const reason of refused) expect(reason).toEqual(refusedWith('insufficient_balance'));
  expect(await calls.funds('TENANT')).toEqual(['1', '0.6']);
  expect(await calls.funds('CONSUMER')).toEqual(['0.125', '0.12']);
});

test('calls that begin, are extended and end at the same time never block each other in a circle', async () => {
  await calls.open('TENANT', SECOND, { balance: '1000' });
  await calls.open('CONSUMER', SECOND, { balance: '1000' });
  const deadlocks = async () => {
    const [row] = await db.$queryRaw<{ count: bigint }[]>`
      select pg_stat_get_db_deadlocks(oid) as "count" from pg_database where datname = current_database()`;
    return row?.count;
  };
  const before = await deadlocks();
  await Promise.all(
    calls.agents.map(async (_, agent) => {
      for (let round = 0; round < 4; round += 1) {
        const callId = await calls.dial(agent);
        await calls.extend(callId);
        if (round % 2 === 0) await calls.change('TENANT', '0.5');
        await calls.hangUp(callId);
      }
    }),
  );
  expect((await calls.funds('TENANT'))[1]).toBe('0');
  expect((await calls.funds('CONSUMER'))[1]).toBe('0');
  // Counted by the connections that noticed, at the latest when they end.
  await db.$disconnect();
  db = testDatabase.connect();
  expect(await deadlocks()).toBe(before);
});

describe('an outbound call is refused before it is dialled', () => {
  test.each([
    ['TENANT', { status: 'SUSPENDED', balance: '9' }, 'tenant_suspended'],
    ['TENANT', { status: 'OUTBOUND_BLOCKED', balance: '9' }, 'tenant_outbound_blocked'],
    ['TENANT', {}, 'tenant_outbound_blocked'],
    ['TENANT', { balance: '0.59' }, 'tenant_insufficient_balance'],
    ['TENANT', { mode: 'POSTPAID', creditLimit: '0.5' }, 'tenant_insufficient_balance'],
    ['CONSUMER', { status: 'SUSPENDED', balance: '9' }, 'account_suspended'],
    ['CONSUMER', { status: 'OUTBOUND_BLOCKED', balance: '9' }, 'outbound_blocked'],
    ['CONSUMER', {}, 'outbound_blocked'],
    ['CONSUMER', { balance: '0.59' }, 'insufficient_balance'],
  ] as const)('by the account of the %s, %o: %s', async (owner, account, code) => {
    await calls.open(owner, MINUTE, account);
    await expect(calls.create()).rejects.toEqual(refusedWith(code));
    expect(await db.call.count({ where: { tenantId: calls.tenant.id } })).toBe(0);
  });

  test('by the tenant’s account first', async () => {
    await calls.open('TENANT', MINUTE);
    await calls.open('CONSUMER', MINUTE, { status: 'SUSPENDED' });
    await expect(calls.create()).rejects.toEqual(refusedWith('tenant_outbound_blocked'));
  });

  test('if the plan of a tenant with an account has no price for the destination', async () => {
    await calls.open('TENANT', MINUTE, { balance: '9' });
    await db.priceItem.updateMany({ data: { direction: 'INBOUND' } });
    await expect(calls.create()).rejects.toEqual(refusedWith('destination_not_allowed'));
  });
});

describe('an inbound call', () => {
  const end = async () => {
    const call = await db.call.findFirstOrThrow({
      where: { tenantId: calls.tenant.id },
      orderBy: { id: 'desc' },
    });
    return [call.terminationReason, call.terminatedBy];
  };

  test('is rejected and recorded without money for its first block, on either account', async () => {
    await calls.open('TENANT', MINUTE, { balance: '0.6' });
    expect(await calls.arrive()).toMatchObject({ action: 'accept' });
    expect(await calls.arrive()).toMatchObject({ action: 'reject', status: 503 });
    expect(await end()).toEqual(['CREDIT_EXHAUSTED', 'SYSTEM']);
    await calls.change('TENANT', '5');
    await calls.open('CONSUMER', MINUTE);
    expect(await calls.arrive()).toMatchObject({ action: 'reject', status: 503 });
    expect(await calls.funds('TENANT')).toEqual(['5.6', '0.6']);
  });

  test('without a price needs no money, and OUTBOUND_BLOCKED does not concern it', async () => {
    await calls.open('TENANT', null);
    expect(await calls.arrive()).toMatchObject({ action: 'accept' });
    await calls.open('CONSUMER', MINUTE, { status: 'OUTBOUND_BLOCKED', balance: '1' });
    expect(await calls.arrive()).toMatchObject({ action: 'accept' });
  });

  test('is rejected while an account is suspended, also without a price', async () => {
    await calls.open('TENANT', null, { status: 'SUSPENDED', balance: '1' });
    expect(await calls.arrive()).toMatchObject({ action: 'reject', status: 503 });
    expect(await end()).toEqual(['CREDIT_EXHAUSTED', 'SYSTEM']);
  });

  test('is charged from our 200 on, to both accounts', async () => {
    await calls.open('TENANT', SECOND, { balance: '1' });
    await calls.open('CONSUMER', SECOND, { balance: '0.2' });
    const answer = await calls.arrive();
    if (answer.action !== 'accept') throw new Error('refused');
    const { callId } = answer;
    const { state } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
    calls.now += 1_000;
    const { carrierLegId } = state as { carrierLegId: string };
    await calls.step(callId, { type: 'leg-connected', legId: carrierLegId, codec: 'PCMA' });
    await calls.runUntil(callId, calls.now + 60_000);
    expect(await end()).toEqual(['CREDIT_EXHAUSTED', 'SYSTEM']);
    expect(await calls.funds('TENANT')).toEqual(['0.8', '0']);
    expect(await calls.funds('CONSUMER')).toEqual(['0', '0']);
  });
});
