/** What an account owes the operator, on the command line. */
import { CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { billingAccountResource, transactionPage } from '@clarion/protocol/v1/price/tenant-billing';
import { openOperatorFixture } from './__fixtures__/operator-fixture.ts';
import type { OperatorFixture } from './__fixtures__/operator-fixture.ts';
import { commandsOf } from './__fixtures__/run-command.ts';
import type { Commands } from './__fixtures__/run-command.ts';
import { withOperator } from './operator-context.ts';

let fixture: OperatorFixture;
let clarion: Commands['clarion'];
let clarionJson: Commands['clarionJson'];
beforeAll(async () => {
  fixture = await openOperatorFixture();
  ({ clarion, clarionJson } = commandsOf(fixture.env));
});
afterAll(() => fixture.end());

const billingView = z.strictObject({
  pricePlanId: z.number().nullable(),
  account: billingAccountResource.nullable(),
  lowBalance: z.boolean(),
});
const changedView = z.strictObject({ balance: z.string(), account: billingAccountResource });

let accounts = 0;
/** An account of its own for each test. */
async function newAccount(terms: string | null = '--mode PREPAID --currency USD'): Promise<string> {
  accounts += 1;
  const slug = `acme-${accounts}`;
  await clarion(`consumer create --slug ${slug} --name Acme`);
  if (terms !== null) await open(slug, terms);
  return slug;
}
const open = (slug: string, terms: string) =>
  clarionJson(billingAccountResource, `billing open --slug ${slug} ${terms}`);
const set = (slug: string, terms: string) =>
  clarionJson(billingAccountResource, `billing set --slug ${slug} ${terms}`);
const show = (slug: string) => clarionJson(billingView, `billing show --slug ${slug}`);
const topUp = (slug: string, ...options: string[]) =>
  clarionJson(changedView, ['billing', 'top-up', '--slug', slug, ...options]);
const adjust = (slug: string, ...options: string[]) =>
  clarionJson(changedView, ['billing', 'adjust', '--slug', slug, ...options]);
async function newPlan(currency: string): Promise<number> {
  const create = ['price-plan', 'create', '--name', currency, '--currency', currency];
  return (await clarionJson(z.looseObject({ id: z.number() }), create)).id;
}
const assign = (slug: string, plan: number | 'none') =>
  clarion(`plan set --slug ${slug} --price-plan ${plan}`);

describe('an account', () => {
  test('has none until it is opened, and is then shown with its price plan', async () => {
    const slug = await newAccount(null);
    expect(await show(slug)).toEqual({ pricePlanId: null, account: null, lowBalance: false });
    const plan = await newPlan('EUR');
    await assign(slug, plan);
    const opened = await open(slug, '--mode POSTPAID --currency eur --credit-limit 250.50');
    expect(opened).toMatchObject({ mode: 'POSTPAID', currency: 'EUR', balance: '0', creditLimit: '250.5' });
    expect(opened.invoiceDueDays).toBe(15);
    expect(await show(slug)).toEqual({ pricePlanId: plan, account: opened, lowBalance: false });
    expect(await clarion(`billing show --slug ${slug}`)).toContain('account.creditLimit: 250.5\n');
  });

  test('is opened once', async () => {
    const slug = await newAccount();
    await expect(open(slug, '--mode POSTPAID --currency EUR')).rejects.toMatchObject({
      code: 'exists',
      message: `The account ${slug} already has a billing account: change it with \`billing set\`.`,
    });
    expect((await show(slug)).account).toMatchObject({ mode: 'PREPAID', currency: 'USD' });
  });

  test('must be open for everything else', async () => {
    const slug = await newAccount(null);
    for (const command of [
      `set --slug ${slug} --mode PREPAID`,
      `top-up --slug ${slug} --amount 5`,
      `adjust --slug ${slug} --amount 5 --reason x`,
      `transactions --slug ${slug}`,
    ]) {
      await expect(clarion(`billing ${command}`)).rejects.toMatchObject({
        code: 'not_found',
        message: `The billing account of ${slug} was not found.`,
      });
    }
    await expect(clarion('billing show --slug nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(open('nobody', '--mode PREPAID --currency USD')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('keeps what is not given when it is changed', async () => {
    const slug = await newAccount('--mode POSTPAID --currency GBP --credit-limit 250 --invoice-due-days 30');
    const kept = { mode: 'POSTPAID', currency: 'GBP', creditLimit: '250', invoiceDueDays: 30 };
    expect(await set(slug, '--invoice-due-days 7')).toMatchObject({ ...kept, invoiceDueDays: 7 });
    expect(await set(slug, '--credit-limit none')).toMatchObject({ mode: 'POSTPAID', creditLimit: null });
    expect(await set(slug, '--credit-limit 100')).toMatchObject({ creditLimit: '100', invoiceDueDays: 7 });
    expect(await set(slug, '--mode PREPAID')).toMatchObject({ mode: 'PREPAID', creditLimit: null });
    await expect(set(slug, '--credit-limit 5')).rejects.toMatchObject({ details: { field: 'credit_limit' } });
    await expect(set(slug, '--invoice-due-days 121')).rejects.toMatchObject({
      details: { field: 'invoice_due_days' },
    });
    expect((await show(slug)).account).toMatchObject({ currency: 'GBP', invoiceDueDays: 7 });
  });

  test('is not opened with terms that the API would reject', async () => {
    const slug = await newAccount(null);
    for (const [terms, field] of [
      ['--mode PREPAID --currency USD --credit-limit 5', 'credit_limit'],
      ['--mode POSTPAID --currency USD --credit-limit -5', 'credit_limit'],
      ['--mode PREPAID --currency dollars', 'currency'],
    ] as const) {
      await expect(open(slug, terms)).rejects.toMatchObject({ details: { field } });
    }
    await expect(open(slug, '--mode FREE --currency USD')).rejects.toBeInstanceOf(CommanderError);
    await expect(open(slug, '--mode PREPAID')).rejects.toBeInstanceOf(CommanderError);
    expect((await show(slug)).account).toBeNull();
  });
});

describe('the currency', () => {
  test('is that of the price plan, whichever is set first', async () => {
    const [euros, dollars] = [await newPlan('EUR'), await newPlan('USD')];
    const slug = await newAccount(null);
    await assign(slug, euros);
    await expect(open(slug, '--mode PREPAID --currency USD')).rejects.toMatchObject({
      message: 'currency must be that of the price plan of the account, EUR.',
      details: { field: 'currency' },
    });
    await open(slug, '--mode PREPAID --currency EUR');
    await expect(assign(slug, dollars)).rejects.toMatchObject({
      message: "price_plan: the price plan is in USD, but the account's billing account is in EUR.",
      details: { field: 'price_plan' },
    });
    expect((await show(slug)).pricePlanId).toBe(euros);
    await assign(slug, 'none');
    await set(slug, '--currency USD');
    await assign(slug, dollars);
    expect((await show(slug)).pricePlanId).toBe(dollars);
  });

  test('cannot change while the account has a balance', async () => {
    const slug = await newAccount();
    await topUp(slug, '--amount', '10');
    await expect(set(slug, '--currency EUR')).rejects.toMatchObject({ details: { field: 'currency' } });
    await adjust(slug, '--amount', '-10', '--reason', 'paid back');
    expect((await set(slug, '--currency EUR')).currency).toBe('EUR');
  });

  test('is one when a price plan is assigned while the account is opened', async () => {
    const euros = await newPlan('EUR');
    for (let round = 0; round < 5; round += 1) {
      const slug = await newAccount(null);
      const [assigned, opened] = await Promise.allSettled([
        assign(slug, euros),
        open(slug, '--mode PREPAID --currency USD'),
      ]);
      expect([assigned.status, opened.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    }
  });
});

test('top-ups and adjustments change the balance, and are listed newest first', async () => {
  const slug = await newAccount();
  expect(await clarion(`billing transactions --slug ${slug}`)).toBe('(none)\n');
  expect((await topUp(slug, '--amount', '50.00', '--reference', 'card payment 7712')).balance).toBe('50');
  const { balance, account } = await adjust(slug, '--amount', '-52.5', '--reason', 'set-up of two trunks');
  expect(balance).toBe('-2.5');
  expect(await show(slug)).toMatchObject({ account, lowBalance: true });
  const page = await clarionJson(transactionPage, `billing transactions --slug ${slug} --limit 1`);
  expect(page).toMatchObject({
    page: 1,
    limit: 1,
    total: 2,
    transactions: [
      { kind: 'ADJUSTMENT', amount: '-52.5', balanceAfter: '-2.5', description: 'set-up of two trunks' },
    ],
  });
  const lines = (await clarion(`billing transactions --slug ${slug}`)).split('\n');
  expect(lines[0]).toMatch(/^\S+Z {2}ADJUSTMENT {2}-52\.5 {2}balance -2\.5 {2}set-up of two trunks$/);
  expect(lines[1]).toMatch(/^\S+Z {2}TOP_UP {2}50 {2}balance 50 {2}card payment 7712$/);
  expect(lines[2]).toBe('page 1 of 1, 2 in total');
  await expect(clarion(`billing transactions --slug ${slug} --limit 201`)).rejects.toMatchObject({
    details: { field: 'limit' },
  });
});

test.each([
  ['top-up', '--amount 0.009', 'amount'],
  ['top-up', '--amount much', 'amount'],
  ['adjust', '--amount 0 --reason x', 'amount'],
  ['adjust', `--amount 1 --reason ${'x'.repeat(256)}`, 'reason'],
])('%s %s is rejected', async (command, options, field) => {
  const slug = await newAccount();
  await expect(clarion(`billing ${command} --slug ${slug} ${options}`)).rejects.toMatchObject({
    details: { field },
  });
  expect((await show(slug)).account?.balance).toBe('0');
});

test('a POSTPAID account is not topped up', async () => {
  const slug = await newAccount('--mode POSTPAID --currency USD');
  await expect(topUp(slug, '--amount', '5')).rejects.toMatchObject({ code: 'not_prepaid' });
});

test('the accounts of deleted tenants are listed, with their transactions and invoices', async () => {
  const slug = await newAccount(null);
  const deleted = `billing deleted-tenants --slug ${slug}`;
  expect(await clarion(deleted)).toBe('(none)\n');
  const { id, existing } = await withOperator(fixture.env, async ({ db }) => {
    const { id: consumerId } = await db.consumer.findUniqueOrThrow({ where: { slug } });
    const terms = {
      consumerId,
      owner: 'TENANT',
      mode: 'POSTPAID',
      currency: 'USD',
      invoiceDueDays: 15,
    } as const;
    const account = await db.billingAccount.create({ data: { ...terms, tenantRef: 'north' } });
    const tenant = await db.tenant.create({ data: { consumerId, ref: 'south', name: 'South' } });
    const ofTenant = await db.billingAccount.create({
      data: { ...terms, tenantRef: 'south', tenantId: tenant.id },
    });
    const at = new Date('2026-01-01T00:00:00Z');
    await db.invoice.create({
      data: {
        consumerId,
        accountId: account.id,
        number: 'CL-000001',
        status: 'OPEN',
        currency: 'USD',
        periodFrom: at,
        periodTo: at,
        total: '12.35',
        issuerName: 'Acme',
        customerName: 'North',
        customerRef: 'north',
        issuedAt: at,
        dueAt: at,
        lines: {
          create: { position: 0, kind: 'CALL', description: 'Calls', quantity: '3', amount: '12.35' },
        },
      },
    });
    return { id: account.id, existing: ofTenant.id };
  });
  expect(await clarion(deleted)).toBe(`${id}  north  POSTPAID  balance 0 USD  open invoices 1\n`);
  const invoices = `billing invoices --slug ${slug} --account`;
  expect(await clarion(`${invoices} ${id}`)).toMatch(/^CL-000001 {2}2026-01 {2}OVERDUE {2}12\.35 USD/);
  expect(await clarionJson(z.looseObject({}), `${invoices} ${id}`)).toMatchObject({
    invoices: [{ lines: [{ description: 'Calls', amount: '12.35' }] }],
  });
  expect(await clarion(`billing transactions --slug ${slug} --account ${id}`)).toBe('(none)\n');
  const other = await newAccount();
  for (const [owner, account] of [
    [slug, existing],
    [other, id],
  ] as const) {
    await expect(clarion(`billing invoices --slug ${owner} --account ${account}`)).rejects.toMatchObject({
      code: 'not_found',
    });
  }
});

test('changes are in the audit log of the account, as done by the operator', async () => {
  const slug = await newAccount('--mode POSTPAID --currency USD --credit-limit 7');
  await set(slug, '--mode PREPAID');
  await topUp(slug, '--amount', '8');
  await adjust(slug, '--amount', '-3', '--reason', 'x');
  const entries = await withOperator(fixture.env, ({ db }) =>
    db.auditEntry.findMany({
      where: { consumer: { slug }, action: { startsWith: 'account_billing.' } },
      orderBy: { id: 'asc' },
    }),
  );
  expect(entries.map(({ action, target }) => [action, target])).toEqual([
    ['account_billing.put', slug],
    ['account_billing.put', slug],
    ['account_billing.top_up', slug],
    ['account_billing.adjust', slug],
  ]);
  for (const { actorKind, actorId, surface, tenantId } of entries) {
    expect({ actorKind, actorId, surface, tenantId }).toEqual({
      actorKind: 'operator',
      actorId: fixture.env.operator,
      surface: 'cli',
      tenantId: null,
    });
  }
  expect(entries[0]?.details).toEqual({ mode: 'POSTPAID', currency: 'USD', creditLimit: '7' });
  expect(entries[3]?.details).toEqual({ amount: '-3', currency: 'USD' });
});
