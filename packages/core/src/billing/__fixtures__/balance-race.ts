/**
 * Rounds in which everything that changes the balance of a tenant happens at the same time. What the steps report is added up and compared with the
 * ledger after every round.
 */
import assert from 'node:assert/strict';
import { ApiError } from '@clarion/protocol';
import type { ErrorCode } from '@clarion/protocol';
import type { BillingTransaction, BillingTransactionKind, Database } from '@clarion/db';
import type { Ctx } from '../../context.ts';
import { amountOf, millionthsOf } from '../../rating/millionths.ts';
import { putTenantPricePlan } from '../../tenant/put-tenant-price-plan.ts';
import { putBillingAccount } from '../account.ts';
import { createAdjustment, createTopUp } from '../change-balance.ts';
import { markInvoicePaid } from '../mark-invoice-paid.ts';
import { adjustAccount } from '../operator-accounts.ts';
import { PaidCalls } from './paid-calls.ts';

/** After this, a call needs an extension. */
const ROUND_MS = 55_000;
/** Charges have fractions of a cent, so that invoices are rounded. */
const RATES = ['0.6', '0.1234'];
const AGENTS = 2;
const TENANT = 't';
/** Enough for all rounds: no call is refused. */
const BALANCE = '1000';

export const steps = [
  'top-up',
  'credit',
  'debit',
  'pay',
  'pay again',
  'change mode',
  'change plan',
  'debit of the account itself',
  'begin a call',
  'extend the call',
  'extend it again',
  'end the call',
] as const;
type Step = (typeof steps)[number];

export class BalanceRace {
  /** Of invoices, and of calls that ended. */
  readonly paid = { invoices: 0, calls: 0 };
  readonly #calls: PaidCalls;
  readonly #plans: readonly number[];
  readonly #booked: Record<BillingTransactionKind, bigint> = {
    TOP_UP: 0n,
    ADJUSTMENT: millionthsOf(BALANCE),
    CHARGE: 0n,
    INVOICE_PAID: 0n,
    ROUNDING: 0n,
  };
  #rounds = 0;
  /** The call that the round before has begun. */
  #running: number;
  #begun = 0;
  /** Made in an earlier round. */
  #openInvoice: number | null = null;

  private constructor(calls: PaidCalls, plans: readonly number[], running: number) {
    this.#calls = calls;
    this.#plans = plans;
    this.#running = running;
  }

  static async create(db: Database): Promise<BalanceRace> {
    const calls = await PaidCalls.create(db, AGENTS);
    const plans: number[] = [];
    for (const flatRate of RATES) {
      await calls.setPrice('TENANT', { flatRate, initialSeconds: 1, incrementSeconds: 1 });
      const { pricePlanId } = await db.tenant.findUniqueOrThrow({ where: { id: calls.tenant.id } });
      plans.push(pricePlanId ?? 0);
    }
    await calls.open('TENANT', null, { balance: BALANCE });
    await calls.open(
      'CONSUMER',
      { flatRate: '0.3', initialSeconds: 1, incrementSeconds: 1 },
      { balance: BALANCE },
    );
    return new BalanceRace(calls, plans, await calls.dial(0));
  }

  /** Begins all steps in this order, none of which waits for another. @throws AssertionError; what a step throws */
  async round(order: readonly Step[]): Promise<void> {
    this.#rounds += 1;
    this.#calls.now += ROUND_MS;
    const ctx = await this.#calls.context();
    const outcomes = await Promise.allSettled(order.map((step) => this.#do(step, ctx)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    await this.#addCharge();
    await this.#check();
    this.#running = this.#begun;
    await this.#findInvoice();
  }

  async #do(step: Step, ctx: Ctx): Promise<void> {
    const calls = this.#calls;
    const agent = this.#rounds % AGENTS;
    switch (step) {
      case 'top-up':
        return this.#topUp(ctx, '2.5');
      case 'credit':
        return this.#adjust(ctx, '0.75');
      case 'debit':
        return this.#adjust(ctx, '-3.125');
      case 'pay':
      case 'pay again':
        return this.#pay(ctx);
      case 'change mode': {
        const mode = this.#rounds % 2 === 0 ? 'PREPAID' : 'POSTPAID';
        await putBillingAccount(ctx, TENANT, {
          mode,
          currency: 'USD',
          creditLimit: null,
          invoiceDueDays: 15,
        });
        return;
      }
      case 'change plan':
        await putTenantPricePlan(ctx, TENANT, {
          pricePlanId: this.#plans[this.#rounds % this.#plans.length] ?? 0,
        });
        return;
      case 'debit of the account itself':
        await adjustAccount(ctx, calls.consumer.slug, { amount: '-0.01', reason: 'a fee' });
        return;
      case 'begin a call':
        this.#begun = await calls.dial(agent);
        // What the node does that connected it.
        await calls.extend(this.#begun);
        return;
      case 'extend the call':
      case 'extend it again':
        await calls.extend(this.#running);
        return;
      case 'end the call':
        return calls.hangUp(this.#running);
    }
  }

  async #topUp(ctx: Ctx, amount: string): Promise<void> {
    const done = await unlessRefused('not_prepaid', createTopUp(ctx, TENANT, { amount, reference: null }));
    if (done) this.#booked.TOP_UP += millionthsOf(amount);
  }

  async #adjust(ctx: Ctx, amount: string): Promise<void> {
    await createAdjustment(ctx, TENANT, { amount, reason: 'a correction' });
    this.#booked.ADJUSTMENT += millionthsOf(amount);
  }

  /** Two steps pay the same invoice. */
  async #pay(ctx: Ctx): Promise<void> {
    if (this.#openInvoice === null) return;
    const paid = await unlessRefused('not_open', markInvoicePaid(ctx, TENANT, this.#openInvoice));
    if (!paid) return;
    this.#booked.INVOICE_PAID += millionthsOf(paid.total);
    this.paid.invoices += 1;
  }

  async #addCharge(): Promise<void> {
    const { tenantCharge } = await this.#calls.usage(this.#running);
    assert.notEqual(tenantCharge, null);
    this.#booked.CHARGE -= millionthsOf(tenantCharge ?? '0');
    this.paid.calls += 1;
  }

  async #findInvoice(): Promise<void> {
    const { id } = await this.#calls.account('TENANT');
    const open = { accountId: id, status: 'OPEN' } as const;
    this.#openInvoice = (await this.#calls.db.invoice.findFirst({ where: open }))?.id ?? null;
  }

  async #check(): Promise<void> {
    await this.#checkAccount('CONSUMER');
    const ledger = await this.#checkAccount('TENANT');
    await this.#checkInvoices(ledger);
    const byKind = Map.groupBy(ledger, ({ kind }) => kind);
    for (const [kind, expected] of Object.entries(this.#booked)) {
      const booked = sumOf(byKind.get(kind as BillingTransactionKind) ?? []);
      assert.equal(amountOf(booked), amountOf(expected), `the sum of all ${kind}`);
    }
  }

  /** @returns its transactions */
  async #checkAccount(owner: 'TENANT' | 'CONSUMER'): Promise<BillingTransaction[]> {
    const { db } = this.#calls;
    const { id: accountId, balance, reserved } = await this.#calls.account(owner);
    const ledger = await db.billingTransaction.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
    let sum = 0n;
    for (const { amount, balanceAfter } of ledger) {
      sum += millionthsOf(amount.toFixed());
      assert.equal(balanceAfter.toFixed(), amountOf(sum), 'the balance after a transaction');
    }
    assert.equal(balance.toFixed(), amountOf(sum), 'the sum of the ledger');
    const reservations = await db.creditReservation.findMany({ where: { accountId } });
    assert.equal(reserved.toFixed(), amountOf(sumOf(reservations)), 'the sum of the reservations');
    return ledger;
  }

  /** Each contains exactly its transactions. Adds up their roundings. */
  async #checkInvoices(ledger: readonly BillingTransaction[]): Promise<void> {
    const { id: accountId } = await this.#calls.account('TENANT');
    const contents = Map.groupBy(
      ledger.filter(({ kind }) => kind === 'CHARGE' || kind === 'ADJUSTMENT'),
      ({ invoiceId }) => invoiceId,
    );
    this.#booked.ROUNDING = 0n;
    for (const { id, total, lines } of await this.#calls.db.invoice.findMany({
      where: { accountId },
      include: { lines: true },
    })) {
      const exact = sumOf(lines);
      assert.equal(exact, -sumOf(contents.get(id) ?? []), 'the lines of an invoice and its transactions');
      this.#booked.ROUNDING += exact - millionthsOf(total.toFixed());
    }
  }
}

const sumOf = (rows: readonly { amount: { toFixed(): string } }[]): bigint =>
  rows.reduce((sum, { amount }) => sum + millionthsOf(amount.toFixed()), 0n);

async function unlessRefused<T>(code: ErrorCode, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return null;
    throw error;
  }
}
