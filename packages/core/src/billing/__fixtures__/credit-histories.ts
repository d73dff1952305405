/**
 * Random histories of paid calls, and what must be true after every step of them: each balance is the sum of its ledger, what is reserved belongs to
 * running calls, calls take no account below zero, each call is charged once and exactly, and it ends in the second in which its credit does.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ApiError } from '@clarion/protocol';
import type { Database } from '@clarion/db';
import { costOf } from '../../rating/call-pricing.ts';
import { millionthsOf } from '../../rating/millionths.ts';
import { isCreditRefusal } from '../../ledger/outbound-refusal.ts';
import { PaidCalls } from './paid-calls.ts';
import type { FlatPrice } from './paid-calls.ts';

const AGENTS = 3;
const OWNERS = ['TENANT', 'CONSUMER'] as const;
type Owner = (typeof OWNERS)[number];
/** As in EXTEND_AHEAD_MS: the sweep finds calls that are paid for less than this. */
const AHEAD_MS = 10_000;

const amounts = (max: number) => fc.integer({ min: 1, max }).map((cents) => (cents / 1_000).toFixed(3));
const prices = fc.record({
  flatRate: amounts(2_000),
  initialSeconds: fc.integer({ min: 1, max: 60 }),
  incrementSeconds: fc.integer({ min: 1, max: 60 }),
});
const accounts = fc.record({
  mode: fc.constantFrom('PREPAID' as const, 'POSTPAID' as const),
  creditLimit: fc.option(amounts(3_000)),
  balance: amounts(3_000),
  price: prices,
});
const agents = fc.integer({ min: 0, max: AGENTS - 1 });
const owners = fc.constantFrom<Owner>(...OWNERS);
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), agent: agents }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('connect' as const), agent: agents }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hang-up' as const), agent: agents }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 90_000 }) }),
  },
  /** No process extends or ends calls meanwhile. */
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('outage' as const), ms: fc.integer({ min: 1, max: 30_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('top-up' as const), owner: owners, amount: amounts(1_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('debit' as const), owner: owners, amount: amounts(1_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price' as const), owner: owners, price: prices }) },
);
export const histories = fc.record({
  TENANT: accounts,
  CONSUMER: accounts,
  steps: fc.array(steps, { minLength: 4, maxLength: 25 }),
});
export type CreditHistory = typeof histories extends fc.Arbitrary<infer H> ? H : never;

interface Running {
  callId: number;
  /** With which it began. */
  prices: Record<Owner, FlatPrice>;
  connectedAt: number | null;
  /** While it was connected, no process extended or ended calls for a while. */
  outage: boolean;
}

/** @throws AssertionError at the first step after which a condition is violated */
export async function checkHistory(db: Database, history: CreditHistory): Promise<void> {
  const calls = await PaidCalls.create(db, AGENTS);
  for (const owner of OWNERS) {
    const { price, mode, creditLimit, balance } = history[owner];
    await calls.open(owner, price, { mode, balance, creditLimit: mode === 'PREPAID' ? null : creditLimit });
  }
  const run = new HistoryRun(calls, history);
  for (const step of history.steps) {
    await run.do(step);
    await run.check();
  }
  await run.end();
}

class HistoryRun {
  readonly #calls: PaidCalls;
  readonly #running = new Map<number, Running>();
  readonly #prices: Record<Owner, FlatPrice>;
  /** The least that was available after a debit, which may go below zero: calls never go below that. */
  readonly #floor: Record<Owner, bigint> = { TENANT: 0n, CONSUMER: 0n };

  constructor(calls: PaidCalls, { TENANT, CONSUMER }: CreditHistory) {
    this.#calls = calls;
    this.#prices = { TENANT: TENANT.price, CONSUMER: CONSUMER.price };
  }

  async do(step: CreditHistory['steps'][number]): Promise<void> {
    const calls = this.#calls;
    switch (step.do) {
      case 'create':
        return this.#create(step.agent);
      case 'connect':
        return this.#connect(step.agent);
      case 'hang-up':
        return this.#hangUp(step.agent);
      case 'wait':
        return this.#runUntil(calls.now + step.ms);
      case 'outage':
        calls.now += step.ms;
        for (const call of this.#running.values()) call.outage = true;
        return;
      case 'top-up':
        return calls.change(step.owner, step.amount);
      case 'debit': {
        await calls.change(step.owner, `-${step.amount}`);
        const available = await this.#available(step.owner);
        if (available !== null && available < this.#floor[step.owner]) this.#floor[step.owner] = available;
        return;
      }
      case 'price':
        this.#prices[step.owner] = step.price;
        return calls.setPrice(step.owner, step.price);
    }
  }

  async #create(agent: number): Promise<void> {
    if (this.#running.has(agent)) return;
    const before = await this.#firstBlockIsPayable();
    try {
      const callId = await this.#calls.create(agent);
      assert.ok(before, 'a call began that an account could not pay for');
      this.#running.set(agent, { callId, prices: { ...this.#prices }, connectedAt: null, outage: false });
    } catch (error) {
      assert.ok(error instanceof ApiError && isCreditRefusal(error), String(error));
      assert.ok(!before, `refused with ${error.code} although both accounts could pay`);
    }
  }

  async #firstBlockIsPayable(): Promise<boolean> {
    for (const owner of OWNERS) {
      const available = await this.#available(owner);
      if (available !== null && (available <= 0n || available < cost(this.#prices[owner], 1))) return false;
    }
    return true;
  }

  async #connect(agent: number): Promise<void> {
    const call = this.#running.get(agent);
    if (!call || call.connectedAt !== null) return;
    await this.#calls.connect(call.callId, agent);
    // An intent cannot be started any more after two minutes.
    if (!(await this.#calls.isTalking(call.callId))) return;
    call.connectedAt = this.#calls.now;
    // What the node does that connected it.
    await this.#calls.extend(call.callId);
  }

  async #hangUp(agent: number): Promise<void> {
    const call = this.#running.get(agent);
    if (!call) return;
    await this.#calls.hangUp(call.callId);
    await this.#ended(agent, call);
  }

  /** What the sweep and its timers do, at the moments at which they do it. */
  async #runUntil(until: number): Promise<void> {
    const calls = this.#calls;
    for (;;) {
      let next = until;
      for (const [agent, call] of this.#running) {
        if (call.connectedAt === null) continue;
        const end = await calls.extend(call.callId);
        if ((await calls.endOf(call.callId)) !== null) await this.#ended(agent, call);
        else if (end !== null) next = Math.min(next, end - AHEAD_MS > calls.now ? end - AHEAD_MS : end);
      }
      if (calls.now >= until) return;
      calls.now = Math.max(calls.now, next);
    }
  }

  async #ended(agent: number, call: Running): Promise<void> {
    this.#running.delete(agent);
    const calls = this.#calls;
    const { callId, connectedAt } = call;
    const usage = await calls.usage(callId);
    const endedAt = await calls.endedAt(callId);
    const seconds = connectedAt === null ? 0 : Math.ceil(((endedAt ?? 0) - connectedAt) / 1000);
    assert.equal(usage.connectedSeconds, seconds);
    for (const owner of OWNERS) {
      const charged = millionthsOf((owner === 'TENANT' ? usage.tenantCharge : usage.platformCost) ?? '0');
      const full = cost(call.prices[owner], seconds);
      if (call.outage) assert.ok(charged <= full, 'charged more than the call costs');
      else assert.equal(charged, full, 'not charged what the call costs');
      const booked = await calls.db.billingTransaction.findMany({
        where: { callId, accountId: (await calls.account(owner)).id },
      });
      const sum = booked.reduce((total, { amount }) => total + millionthsOf(amount.toFixed()), 0n);
      assert.equal(-sum, charged, 'the ledger and the usage record differ');
      assert.ok(booked.length <= 1, 'charged twice');
    }
    if ((await calls.endOf(callId)) !== 'CREDIT_EXHAUSTED') return;
    const isUsedUp = await Promise.all(OWNERS.map((owner) => this.#isUsedUp(owner, call, seconds)));
    assert.ok(isUsedUp.includes(true), 'ended although both accounts could pay for another block');
  }

  /** The released rest of the call's last block is available again. */
  async #isUsedUp(owner: Owner, { prices: ofCall }: Running, seconds: number): Promise<boolean> {
    const available = await this.#available(owner);
    const price = ofCall[owner];
    const paid = costOf(priceOf(price), seconds);
    const next = cost(price, paid.billedSeconds + 1) - millionthsOf(paid.amount);
    return available !== null && available < next;
  }

  async #available(owner: Owner): Promise<bigint | null> {
    const { mode, balance, reserved, creditLimit } = await this.#calls.account(owner);
    if (mode === 'POSTPAID' && creditLimit === null) return null;
    const limit = mode === 'PREPAID' ? 0n : millionthsOf(creditLimit?.toFixed() ?? '0');
    return millionthsOf(balance.toFixed()) - millionthsOf(reserved.toFixed()) + limit;
  }

  async check(): Promise<void> {
    const { db } = this.#calls;
    for (const owner of OWNERS) {
      const account = await this.#calls.account(owner);
      const where = { accountId: account.id };
      const ledger = await db.billingTransaction.aggregate({ where, _sum: { amount: true } });
      assert.equal(
        ledger._sum.amount?.toFixed() ?? '0',
        account.balance.toFixed(),
        'not the sum of the ledger',
      );
      const reservations = await db.creditReservation.findMany({ where });
      const reserved = reservations.reduce((sum, { amount }) => sum + millionthsOf(amount.toFixed()), 0n);
      assert.equal(reserved, millionthsOf(account.reserved.toFixed()), 'not the sum of the reservations');
      const running = [...this.#running.values()].map(({ callId }) => callId);
      for (const { callId } of reservations)
        assert.ok(running.includes(callId), 'reserved for no running call');
      const available = await this.#available(owner);
      assert.ok(available === null || available >= this.#floor[owner], 'calls took the account below zero');
    }
  }

  async end(): Promise<void> {
    for (const agent of this.#running.keys()) await this.#hangUp(agent);
    await this.check();
  }
}

const priceOf = ({ flatRate, initialSeconds, incrementSeconds }: FlatPrice) => ({
  ...{ currency: 'USD', ratePerMinute: flatRate, connectionFee: '0' },
  ...{ initialSeconds, incrementSeconds },
});
const cost = (price: FlatPrice, seconds: number): bigint =>
  millionthsOf(costOf(priceOf(price), seconds).amount);
