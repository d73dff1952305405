/** A consumer's own billing account: the operator changes it, the owners of the account read it. */
import {
  adjustAccount,
  changeAccount,
  openAccount,
  topUpAccount,
} from '@clarion/core/billing/operator-accounts';
import { createOperatorPlan } from '@clarion/core/consumer/operator-price-plans';
import { setPlan } from '@clarion/core/consumer/set-plan';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchedSession, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

const OPERATOR = 'Rook Telecom Ltd';
let web: Web;
beforeAll(async () => {
  web = await startWeb({ CLARION_OPERATOR_NAME: OPERATOR });
});
afterAll(() => web.stop());

let accounts = 0;
let slug: string;
let key: string;
/** An account of its own for each test. */
beforeEach(async () => {
  accounts += 1;
  slug = `acme-${accounts}`;
  key = (await web.consumer(slug)).apiKey;
});

const prepaid = { mode: 'PREPAID', currency: 'GBP', creditLimit: null, invoiceDueDays: 15 } as const;
const topUp = (amount: string, reference: string | null = null) =>
  topUpAccount(web.operator, slug, { amount, reference });
const billing = async () => (await call('getBilling', { key })).json;
const list = (query = '') => call('listBillingTransactions', { key, query });

test('account is null until the operator opens one, and transactions are not found', async () => {
  expect(await billing()).toEqual({ pricePlanId: null, account: null, lowBalance: false });
  expectError(await list(), 404, 'not_found');
  const account = await openAccount(web.operator, slug, prepaid);
  expect(await billing()).toEqual({ pricePlanId: null, account, lowBalance: false });
  expect((await list()).json).toEqual({ transactions: [], page: 1, limit: 50, total: 0 });
});

test('the plan and the terms are those that the operator has set', async () => {
  const plan = await createOperatorPlan(web.operator, {
    name: 'Wholesale',
    currency: 'GBP',
    description: null,
    items: [],
  });
  await setPlan(web.operator, slug, { pricePlanId: plan.id });
  await openAccount(web.operator, slug, prepaid);
  await changeAccount(web.operator, slug, () => ({
    mode: 'POSTPAID',
    currency: 'GBP',
    creditLimit: '250.5',
    invoiceDueDays: 30,
  }));
  const { pricePlanId, account } = await billing();
  expect(pricePlanId).toBe(plan.id);
  expect(account).toMatchObject({
    mode: 'POSTPAID',
    status: 'ACTIVE',
    currency: 'GBP',
    balance: '0',
    creditLimit: '250.5',
    invoiceDueDays: 30,
  });
});

test('the balance is low below 10 % of the last top-up', async () => {
  await openAccount(web.operator, slug, prepaid);
  await topUp('100');
  const debit = { amount: '-90', reason: 'a correction' };
  await adjustAccount(web.operator, slug, debit);
  expect(await billing()).toMatchObject({ lowBalance: false, account: { balance: '10' } });
  await adjustAccount(web.operator, slug, { ...debit, amount: '-0.000001' });
  expect(await billing()).toMatchObject({ lowBalance: true, account: { balance: '9.999999' } });
});

test('transactions are listed in pages, newest first', async () => {
  await openAccount(web.operator, slug, prepaid);
  for (const amount of ['1', '2', '3']) await topUp(amount, `payment ${amount}`);
  await adjustAccount(web.operator, slug, { amount: '-2.5', reason: 'a correction' });
  const { transactions } = (await list()).json;
  expect(transactions).toMatchObject([
    { kind: 'ADJUSTMENT', amount: '-2.5', balanceAfter: '3.5', description: 'a correction' },
    { kind: 'TOP_UP', amount: '3', balanceAfter: '6', description: 'payment 3' },
    { kind: 'TOP_UP', amount: '2', balanceAfter: '3', description: 'payment 2' },
    { kind: 'TOP_UP', amount: '1', balanceAfter: '1', description: 'payment 1' },
  ]);
  const second = (await list('page=2&limit=3')).json;
  expect(second).toEqual({ transactions: transactions.slice(3), page: 2, limit: 3, total: 4 });
  for (const query of ['limit=201', 'limit=0', 'page=0', 'page=x']) {
    expectError(await list(query), 400, 'invalid_request', query.split('=')[0]);
  }
});

describe('invoices of the operator', () => {
  const invoices = (as = key) => call('listBillingInvoices', { key: as, query: '' });
  const files = ['getBillingInvoicePdf', 'getBillingInvoiceCsv'] as const;
  /** Leaving POSTPAID makes a last invoice. */
  async function invoiced(): Promise<{ id: number; number: string }> {
    await openAccount(web.operator, slug, { ...prepaid, mode: 'POSTPAID' });
    await adjustAccount(web.operator, slug, { amount: '-7.125', reason: 'set-up' });
    await changeAccount(web.operator, slug, () => prepaid);
    const [invoice] = (await invoices()).json.invoices;
    return invoice ?? expect.unreachable('no invoice');
  }

  test('are listed, and their files name the operator as the issuer', async () => {
    expectError(await invoices(), 404, 'not_found');
    const { id, number } = await invoiced();
    expect(number).toMatch(/^OP-\d{6}$/);
    const path = { invoiceId: id };
    const pdf = await call('getBillingInvoicePdf', { key, path });
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect(pdf.headers.get('content-disposition')).toContain(`filename="${number}.pdf"`);
    const { text } = await extractText(await getDocumentProxy(pdf.bytes), { mergePages: true });
    for (const part of [`Invoice ${number}`, OPERATOR, slug, '7.13 GBP']) expect(text).toContain(part);
    const csv = await call('getBillingInvoiceCsv', { key, path });
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.headers.get('content-disposition')).toContain(`filename="${number}.csv"`);
    expect(csv.text).toContain(',Adjustments,1,7.125,GBP\r\n');
    expect(csv.text).toContain(',Total,,7.13,GBP\r\n');
  });

  test('have no file for another account, nor does an invoice of a tenant', async () => {
    const path = { invoiceId: (await invoiced()).id };
    const rival = (await web.consumer(`rival-${slug}`)).apiKey;
    const inShop = { key, path: { tenantRef: 'shop' } };
    await call('putTenant', { ...inShop, body: { name: 'Shop' } });
    await call('putBillingAccount', { ...inShop, body: { mode: 'POSTPAID' } });
    await call('createAdjustment', { ...inShop, body: { amount: -1, reason: 'set-up' } });
    await call('putBillingAccount', { ...inShop, body: { mode: 'PREPAID' } });
    const [ofTenant] = (await call('listInvoices', { ...inShop, query: '' })).json.invoices;
    for (const name of files) {
      expectError(await call(name, { key: rival, path }), 404, 'not_found');
      expectError(await call(name, { key, path: { invoiceId: ofTenant?.id ?? 0 } }), 404, 'not_found');
      expectError(await call(name, { key, path: { invoiceId: 999_999 } }), 404, 'not_found');
    }
  });
});

test('it is neither that of a tenant nor that of another consumer', async () => {
  await openAccount(web.operator, slug, prepaid);
  await topUp('40');
  const at = { key, path: { tenantRef: 'shop' } };
  await call('putTenant', { ...at, body: { name: 'Shop' } });
  expect((await call('getTenantBilling', at)).json.account).toBeNull();
  await call('putBillingAccount', { ...at, body: { mode: 'PREPAID' } });
  await call('createTopUp', { ...at, body: { amount: 7 } });
  expect((await call('getTenantBilling', at)).json.account).toMatchObject({ currency: 'USD', balance: '7' });
  expect((await billing()).account).toMatchObject({ currency: 'GBP', balance: '40' });
  expect((await list()).json.total).toBe(1);
  const rival = (await web.consumer(`rival-${slug}`)).apiKey;
  expect((await call('getBilling', { key: rival })).json.account).toBeNull();
  expectError(await call('listBillingTransactions', { key: rival }), 404, 'not_found');
});

test('owners read it in the dashboard; administrators, supervisors and launched people do not', async () => {
  await openAccount(web.operator, slug, { ...prepaid, mode: 'POSTPAID' });
  await adjustAccount(web.operator, slug, { amount: '-1', reason: 'set-up' });
  await changeAccount(web.operator, slug, () => prepaid);
  const { invoices } = (await call('listBillingInvoices', { key, query: '' })).json;
  const path = { invoiceId: invoices[0]?.id ?? 0 };
  await call('putTenant', { key, path: { tenantRef: 'shop' }, body: { name: 'Shop' } });
  const owner = await staffSession(web, slug, 'OWNER');
  const others = [
    await staffSession(web, slug, 'ADMIN'),
    await staffSession(web, slug, 'SUPERVISOR'),
    await launchedSession(web, slug, 'shop', 'OWNER'),
    await launchedSession(web, slug, 'shop', 'ADMIN'),
    await launchedSession(web, slug, 'shop', 'SUPERVISOR'),
  ];
  for (const name of [
    'getBilling',
    'listBillingTransactions',
    'listBillingInvoices',
    'getBillingInvoicePdf',
    'getBillingInvoiceCsv',
  ] as const) {
    expect((await call(name, { ...owner, path })).status).toBe(200);
    for (const other of others) expectError(await call(name, { ...other, path }), 403, 'forbidden');
  }
});

test("the operator's changes are in the audit log that the owners read", async () => {
  await openAccount(web.operator, slug, prepaid);
  await topUp('8');
  const { entries } = (await call('listAuditLog', { key, query: 'action=account_billing' })).json;
  expect(entries.map(({ action, target, actor, surface }) => [action, target, actor.kind, surface])).toEqual([
    ['account_billing.top_up', slug, 'operator', 'cli'],
    ['account_billing.put', slug, 'operator', 'cli'],
  ]);
  expect(entries[0]?.details).toEqual({ amount: '8', currency: 'GBP' });
});
