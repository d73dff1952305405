/** A tenant that pays a cent for each second of its inbound calls, from a prepaid account, and the state in which its account must be. */
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import type { CallCentreFixture, CallCentreOptions } from '@clarion/testkit/stack/call-centre';
import type { TestStack } from '@clarion/testkit/stack/stack';

const PER_MINUTE = '0.6';
const CENTS = 100;

interface Billing {
  account: { balance: string; reserved: string };
}

export class PaidTenant {
  readonly #t: TestStack;
  readonly shop: CallCentreFixture;

  private constructor(t: TestStack, shop: CallCentreFixture) {
    this.#t = t;
    this.shop = shop;
  }

  static async open(t: TestStack, options: CallCentreOptions = {}): Promise<PaidTenant> {
    const shop = await openCallCentre(t, options);
    const { plan } = await t.v1.ok<{ plan: { id: number } }>('POST', '/v1/price-plans', {
      name: 'calls',
      items: [
        {
          ...{ kind: 'CALL', method: 'FLAT', direction: 'INBOUND', flat_rate: PER_MINUTE },
          ...{ initial_seconds: 1, increment_seconds: 1 },
        },
      ],
    });
    const at = `/v1/tenants/${shop.tenant}`;
    await t.v1.ok('PUT', `${at}/price-plan`, { price_plan_id: plan.id });
    await t.v1.ok('PUT', `${at}/billing-account`, { mode: 'PREPAID' });
    return new PaidTenant(t, shop);
  }

  async account(): Promise<Billing['account']> {
    return (await this.#t.v1.ok<Billing>('GET', `/v1/tenants/${this.shop.tenant}/billing`)).account;
  }

  async topUp(seconds: number): Promise<void> {
    const path = `/v1/tenants/${this.shop.tenant}/billing/top-ups`;
    await this.#t.v1.ok('POST', path, { amount: (seconds / CENTS).toFixed(2) });
  }

  /** Sets how many seconds of calls the balance pays for. */
  async setSeconds(seconds: number): Promise<void> {
    const { balance } = await this.account();
    const amount = Math.round(seconds - Number(balance) * CENTS) / CENTS;
    if (amount === 0) return;
    const path = `/v1/tenants/${this.shop.tenant}/billing/adjustments`;
    await this.#t.v1.ok('POST', path, { amount: amount.toFixed(2), reason: 'next call' });
  }

  /** What is wrong with the account after a call has ended. */
  async problems(callId: number): Promise<string[]> {
    const { db } = this.#t;
    const tenant = { ref: this.shop.tenant, consumer: { slug: this.#t.account.slug } };
    const account = await db.billingAccount.findFirstOrThrow({ where: { tenant } });
    const ledger = await db.billingTransaction.aggregate({
      where: { accountId: account.id },
      _sum: { amount: true },
    });
    const charges = await db.billingTransaction.findMany({ where: { accountId: account.id, callId } });
    const usage = await db.usageRecord.findFirstOrThrow({ where: { callId, kind: 'CALL' } });
    const charge = usage.tenantCharge?.toFixed() ?? '0';
    const booked = charges.map(({ amount }) => amount.negated().toFixed());
    return [
      ...(ledger._sum.amount?.toFixed() === account.balance.toFixed()
        ? []
        : [
            `the balance is ${account.balance.toFixed()}, the ledger adds up to ${ledger._sum.amount?.toFixed()}`,
          ]),
      ...(account.reserved.isZero() ? [] : [`${account.reserved.toFixed()} is still reserved`]),
      ...(account.balance.isNegative() ? [`the balance is ${account.balance.toFixed()}`] : []),
      ...(booked.join() === (charge === '0' ? '' : charge)
        ? []
        : [`charged ${booked.join()}, not ${charge}`]),
    ];
  }
}
