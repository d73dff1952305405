/** Invoices over the API: lists, payments, what overdue ones do to the account, files, and the end of POSTPAID. */
import { blockOverdueAccounts } from '@clarion/core/billing/account-standing';
import { invoiceMonths } from '@clarion/core/billing/invoice-months';
import { eventData } from '@clarion/protocol';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { launchedSession, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
let foreignKey: string;
let consumerId: number;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
  foreignKey = (await web.consumer('rival')).apiKey;
  ({ id: consumerId } = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } }));
});
afterEach(() => web.setNow(null));
afterAll(() => web.stop());

const DAY_MS = 24 * 60 * 60_000;
const start = new Date();
const startOfNextMonth = (at: Date) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1));
const monthStart = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth()));
const nextMonth = startOfNextMonth(start);
const issuedAt = new Date(nextMonth.getTime() + 10 * 60_000);
const afterIssue = (days: number, ms = 0) => new Date(issuedAt.getTime() + days * DAY_MS + ms);
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

type Body = Record<string, unknown>;
const inTenant = (tenantRef: string, as = key) => ({ key: as, path: { tenantRef } });
let tenants = 0;
/** A tenant of its own for each test. */
async function newTenant(account: Body | null = { mode: 'POSTPAID' }, name?: string): Promise<string> {
  tenants += 1;
  const ref = `tenant-${tenants}`;
  await call('putTenant', { ...inTenant(ref), body: { name: name ?? ref } });
  if (account) expect((await put(ref, account)).status).toBe(200);
  return ref;
}
const put = (ref: string, body: Body) => call('putBillingAccount', { ...inTenant(ref), body });
async function use(ref: string, tenantCharge: string, tenantCurrency = 'USD'): Promise<void> {
  const { id: tenantId } = await web.runtime.db.tenant.findFirstOrThrow({ where: { ref, consumerId } });
  await web.runtime.db.usageRecord.create({
    data: {
      consumerId,
      tenantId,
      tenantRef: ref,
      kind: 'CALL',
      direction: 'OUTBOUND',
      seconds: 60,
      billedSeconds: 60,
      createdAt: new Date(),
      tenantCharge,
      tenantCurrency,
    },
  });
}
const monthEnd = (now = issuedAt) => invoiceMonths({ db: web.runtime.db, now, operatorName: 'Operator' });
const block = (now: Date) => blockOverdueAccounts(web.runtime.db, now);
const list = async (ref: string, query = '') =>
  (await call('listInvoices', { ...inTenant(ref), query })).json;
const accountOf = async (ref: string) => (await call('getTenantBilling', inTenant(ref))).json.account;
const at = (tenantRef: string, invoiceId: number, as = key) => ({ key: as, path: { tenantRef, invoiceId } });
const pay = (ref: string, id: number, headers: Record<string, string> = {}) =>
  call('markInvoicePaid', { ...at(ref, id), headers });
const transactions = async (ref: string) =>
  (await call('listTransactions', { ...inTenant(ref), query: '' })).json.transactions;
/** A tenant with one open invoice. */
async function invoiced(charge = '12.345', account?: Body): Promise<{ ref: string; id: number }> {
  const ref = await newTenant(account);
  await use(ref, charge);
  await monthEnd();
  return { ref, id: (await list(ref)).invoices[0]?.id ?? 0 };
}

describe('the list', () => {
  test('has the invoices of the tenant, newest first, with their lines', async () => {
    const ref = await newTenant({ mode: 'POSTPAID', invoice_due_days: 30 });
    await use(ref, '12.345');
    await call('createAdjustment', { ...inTenant(ref), body: { amount: '2', reason: 'goodwill' } });
    await monthEnd();
    await use(ref, '1');
    await monthEnd(startOfNextMonth(issuedAt));
    const { invoices, total, page, limit } = await list(ref);
    expect({ total, page, limit }).toEqual({ total: 2, page: 1, limit: 50 });
    expect(invoices[0]?.periodFrom).toBe(nextMonth.toISOString());
    expect(invoices[1]).toMatchObject({
      number: expect.stringMatching(/^CL-\d{6}$/),
      status: 'OPEN',
      overdue: false,
      currency: 'USD',
      periodFrom: monthStart.toISOString(),
      periodTo: nextMonth.toISOString(),
      total: '10.35',
      lines: [
        { kind: 'CALL', description: 'Outbound calls', quantity: '1', amount: '12.345' },
        { kind: 'ADJUSTMENT', description: 'Adjustments', quantity: '1', amount: '-2' },
      ],
      issuedAt: issuedAt.toISOString(),
      dueAt: afterIssue(30).toISOString(),
      paidAt: null,
    });
    expect((await list(ref, 'limit=1&page=2')).invoices).toEqual([invoices[1]]);
    const [charge] = (await transactions(ref)).filter(({ amount }) => amount === '-12.345');
    expect(charge?.invoiceId).toBe(invoices[1]?.id);
  });

  test('is empty for a PREPAID account, and 404 without one or for another consumer', async () => {
    expect((await list(await newTenant({ mode: 'PREPAID' }))).invoices).toEqual([]);
    const none = await newTenant(null);
    expectError(await call('listInvoices', { ...inTenant(none), query: '' }), 404, 'not_found');
    const { ref, id } = await invoiced();
    const foreign = at(ref, id, foreignKey);
    expectError(await call('listInvoices', { ...inTenant(ref, foreignKey), query: '' }), 404, 'not_found');
    for (const name of ['markInvoicePaid', 'getInvoicePdf', 'getInvoiceCsv'] as const) {
      expectError(await call(name, foreign), 404, 'not_found');
      expectError(await call(name, at(ref, 999_999)), 404, 'not_found');
      const other = await newTenant();
      expectError(await call(name, at(other, id)), 404, 'not_found');
    }
  });
});

describe('a payment', () => {
  test('adds the total to the balance, which the rounding has made exact', async () => {
    const { ref, id } = await invoiced('12.345');
    const { json } = await pay(ref, id);
    expect(json.invoice).toMatchObject({ id, status: 'PAID', overdue: false, total: '12.35' });
    expect(json.invoice.paidAt).not.toBeNull();
    expect((await accountOf(ref))?.balance).toBe('0');
    expect(await transactions(ref)).toMatchObject([
      { kind: 'INVOICE_PAID', amount: '12.35', balanceAfter: '0', invoiceId: id },
      { kind: 'ROUNDING', amount: '-0.005', balanceAfter: '-12.35', invoiceId: id },
      { kind: 'CHARGE', amount: '-12.345', balanceAfter: '-12.345', invoiceId: id },
    ]);
    const { entries } = (await call('listAuditLog', { key, query: 'action=invoice&limit=1' })).json;
    expect(entries[0]).toMatchObject({ action: 'invoice.mark_paid', target: json.invoice.number });
    expect(entries[0]?.details).toEqual({ total: '12.35', currency: 'USD' });
  });

  test('of a paid invoice is 409 not_open', async () => {
    const { ref, id } = await invoiced();
    await pay(ref, id);
    expectError(await pay(ref, id), 409, 'not_open');
    expect((await accountOf(ref))?.balance).toBe('0');
  });

  test('is booked once by two requests at once: one is 200, one 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { ref, id } = await invoiced();
      const answers = await Promise.all([pay(ref, id), pay(ref, id)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      expect((await accountOf(ref))?.balance).toBe('0');
    }
  });

  test('is booked once under an Idempotency-Key, and returned again', async () => {
    const { ref, id } = await invoiced();
    const once = () => pay(ref, id, { 'idempotency-key': `paid ${id}` });
    const first = await once();
    const again = await once();
    expect(again.json).toEqual(first.json);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await transactions(ref)).filter(({ kind }) => kind === 'INVOICE_PAID')).toHaveLength(1);
  });

  test('makes a low balance recover', async () => {
    const { ref, id } = await invoiced('95', { mode: 'POSTPAID', credit_limit: '100' });
    const announced = () =>
      web.runtime.db.billingAccount.findFirstOrThrow({
        where: { tenantRef: ref },
        select: { lowBalanceAnnounced: true },
      });
    await put(ref, { mode: 'POSTPAID', credit_limit: '100' });
    expect(await announced()).toEqual({ lowBalanceAnnounced: true });
    await pay(ref, id);
    expect(await announced()).toEqual({ lowBalanceAnnounced: false });
  });
});

describe('an overdue invoice', () => {
  const suspensions = async (tenantRef: string) =>
    (await web.runtime.db.event.findMany({ where: { type: 'tenant.suspended', tenantRef } })).map(
      ({ body }) => eventData['tenant.suspended'].parse((JSON.parse(body) as { data: unknown }).data),
    );
  const status = async (ref: string) => (await accountOf(ref))?.status;

  test('blocks outbound calls at once, and suspends the account after 14 days, which is an event', async () => {
    const { ref } = await invoiced();
    await block(afterIssue(15));
    expect(await status(ref)).toBe('ACTIVE');
    await block(afterIssue(15, 1));
    expect(await status(ref)).toBe('OUTBOUND_BLOCKED');
    web.setNow(afterIssue(15, 1));
    expect((await list(ref)).invoices[0]).toMatchObject({ status: 'OPEN', overdue: true });
    await block(afterIssue(29));
    expect(await status(ref)).toBe('OUTBOUND_BLOCKED');
    expect(await suspensions(ref)).toEqual([]);
    await block(afterIssue(29, 1));
    await block(afterIssue(30));
    expect(await status(ref)).toBe('SUSPENDED');
    expect(await suspensions(ref)).toMatchObject([{ tenant: { ref }, account: { status: 'SUSPENDED' } }]);
    const entries = await web.runtime.db.auditEntry.findMany({
      where: { target: ref, actorId: 'block-overdue-accounts' },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual(['billing_account.block', 'billing_account.suspend']);
  });

  test('that is the last one to be paid makes the account ACTIVE at once', async () => {
    const { ref, id: first } = await invoiced();
    await use(ref, '5');
    await monthEnd(startOfNextMonth(issuedAt));
    const [second] = (await list(ref)).invoices;
    const late = new Date(Date.parse(second?.dueAt ?? '') + DAY_MS);
    await block(late);
    expect(await status(ref)).toBe('SUSPENDED');
    web.setNow(late);
    await pay(ref, first);
    expect(await status(ref)).toBe('OUTBOUND_BLOCKED');
    await pay(ref, second?.id ?? 0);
    expect(await status(ref)).toBe('ACTIVE');
    expect(await block(late)).toBe(0);
  });

  test('of a deleted tenant suspends its account without an event', async () => {
    const { ref } = await invoiced();
    await call('putTenant', { ...inTenant(ref), body: { name: ref, status: 'SUSPENDED' } });
    expect((await call('deleteTenant', inTenant(ref))).status).toBe(204);
    await block(afterIssue(40));
    const kept = await web.runtime.db.billingAccount.findFirstOrThrow({
      where: { tenantRef: ref },
      include: { invoices: true },
    });
    expect(kept).toMatchObject({ status: 'SUSPENDED', tenantId: null, invoices: [{ customerRef: ref }] });
    expect(await suspensions(ref)).toEqual([]);
  });
});

describe('a change from POSTPAID to PREPAID', () => {
  test('makes a last invoice of what is on none, and none without it', async () => {
    const ref = await newTenant();
    await use(ref, '3.5');
    expect((await put(ref, { mode: 'PREPAID' })).status).toBe(200);
    const { invoices } = await list(ref);
    expect(invoices).toMatchObject([{ total: '3.5', status: 'OPEN', periodFrom: monthStart.toISOString() }]);
    expect(Date.parse(invoices[0]?.periodTo ?? '')).toBeGreaterThanOrEqual(start.getTime());
    await use(ref, '4');
    await monthEnd();
    await put(ref, { mode: 'POSTPAID' });
    await put(ref, { mode: 'PREPAID' });
    expect((await list(ref)).total).toBe(1);
  });

  test('within a month divides it into periods that do not overlap', async () => {
    const ref = await newTenant();
    await use(ref, '1');
    await put(ref, { mode: 'PREPAID' });
    await put(ref, { mode: 'POSTPAID' });
    await use(ref, '2');
    await monthEnd();
    const [later, earlier] = (await list(ref)).invoices;
    expect([earlier?.total, later?.total]).toEqual(['1', '2']);
    expect(later?.periodFrom).toBe(earlier?.periodTo);
  });

  test('at the same time as the end of the month leaves nothing out and invoices nothing twice', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ref = await newTenant();
      await use(ref, '1.25');
      await Promise.all([put(ref, { mode: 'PREPAID' }), monthEnd()]);
      expect((await list(ref)).invoices.map(({ total }) => total)).toEqual(['1.25']);
    }
  });
});

test('the currency cannot change while an invoice is open', async () => {
  const { ref, id } = await invoiced('5');
  await call('createAdjustment', { ...inTenant(ref), body: { amount: '5', reason: 'paid in cash' } });
  expect((await accountOf(ref))?.balance).toBe('0');
  const euros = { mode: 'POSTPAID', currency: 'EUR' };
  expectError(await put(ref, euros), 400, 'invalid_request', 'currency');
  await pay(ref, id);
  await call('createAdjustment', { ...inTenant(ref), body: { amount: '-5', reason: 'booked twice' } });
  expect((await put(ref, euros)).json.account).toMatchObject({ currency: 'EUR', balance: '0' });
  expect((await list(ref)).total).toBe(1);
});

describe('a file', () => {
  test('PDF can be opened and says who owes what to whom, until when', async () => {
    const ref = await newTenant({ mode: 'POSTPAID' }, 'Ωmega Łódź & Söhne');
    await use(ref, '1234.5');
    await monthEnd();
    const [invoice] = (await list(ref)).invoices;
    const answer = await call('getInvoicePdf', at(ref, invoice?.id ?? 0));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toContain(`filename="${invoice?.number}.pdf"`);
    const document = await getDocumentProxy(answer.bytes);
    const { totalPages, text } = await extractText(document, { mergePages: true });
    expect(totalPages).toBe(1);
    for (const part of [
      `Invoice ${invoice?.number}`,
      'acme',
      'Ωmega Łódź & Söhne',
      ref,
      `${dayOf(monthStart)} to ${dayOf(new Date(nextMonth.getTime() - 1))}`,
      dayOf(issuedAt),
      dayOf(afterIssue(15)),
      'Outbound calls',
      '1 min',
      '1234.5',
      '1234.50 USD',
    ])
      expect(text).toContain(part);
  });

  test('CSV has the lines and the total', async () => {
    const { ref, id } = await invoiced('0.125');
    const [invoice] = (await list(ref)).invoices;
    const answer = await call('getInvoiceCsv', at(ref, id));
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const period = `${invoice?.number},${dayOf(monthStart)},${dayOf(nextMonth)}`;
    expect(answer.text).toBe(
      [
        'Invoice,Period From,Period To,Description,Quantity,Amount,Currency',
        `${period},Outbound calls,1,0.125,USD`,
        `${period},Total,,0.13,USD`,
        '',
      ].join('\r\n'),
    );
  });
});

test('in the dashboard, owners have access, and people launched into the tenant may read', async () => {
  const { ref, id } = await invoiced();
  const path = { tenantRef: ref, invoiceId: id };
  const owner = await staffSession(web, 'acme', 'OWNER');
  const admin = await staffSession(web, 'acme', 'ADMIN');
  const reads = ['listInvoices', 'getInvoicePdf', 'getInvoiceCsv'] as const;
  for (const name of reads) {
    expect((await call(name, { ...owner, path, query: '' })).status).toBe(200);
    expectError(await call(name, { ...admin, path, query: '' }), 403, 'forbidden');
  }
  const elsewhere = { tenantRef: await newTenant(), invoiceId: id };
  for (const role of ['OWNER', 'SUPERVISOR'] as const) {
    const launched = await launchedSession(web, 'acme', ref, role);
    for (const name of reads) {
      expect((await call(name, { ...launched, path, query: '' })).status).toBe(200);
      expectError(await call(name, { ...launched, path: elsewhere, query: '' }), 404, 'not_found');
    }
    expectError(await call('markInvoicePaid', { ...launched, path }), 403, 'forbidden');
  }
  expectError(await call('markInvoicePaid', { ...admin, path }), 403, 'forbidden');
  expect((await call('markInvoicePaid', { ...owner, path })).status).toBe(200);
});
