/**
 * Which refusal of an outbound call comes first. Everything is wrong with the call at first; each step corrects one thing, and the next rule
 * refuses it, until it is placed (docs/requirements.md#errors).
 */
import type { Prisma } from '@clarion/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

const CUSTOMER = '+442079460123';
const EMERGENCY = '112';

let web: Web;
let key: string;
let consumerId: number;
let tenantId: number;
let deckId: number;

beforeAll(async () => {
  web = await startWeb();
  const fixture = await createTenantFixture(web, 'acme');
  ({ key } = fixture);
  const { db } = web.runtime;
  ({ id: tenantId, consumerId } = await db.tenant.findFirstOrThrow({ where: { ref: 'shop' } }));
  await call('putChannel', {
    ...{ key, path: { tenantRef: 'shop', channelRef: 'main' } },
    body: { type: 'SIP', address: '+442071838750', sip_trunk_id: fixture.trunkId },
  });
  // Over a trunk of the operator, which charges the account for it.
  await db.sipTrunk.update({ where: { id: fixture.trunkId }, data: { consumerId: null } });
  const operators = await db.pricePlan.create({
    data: {
      ...{ consumerId: null, name: 'Wholesale', currency: 'USD' },
      items: {
        create: {
          ...{ kind: 'CALL', method: 'FLAT', position: 0, flatRate: '0.4' },
          ...{ initialSeconds: 60, incrementSeconds: 60 },
        },
      },
    },
  });
  deckId = (await call('createRateDeck', { key, body: { name: 'Retail' } })).json.deck.id;
  const items = [{ kind: 'CALL', method: 'DECK', deck_id: deckId }];
  const plan = await call('createPricePlan', { key, body: { name: 'Standard', currency: 'USD', items } });
  await call('putTenantPricePlan', { ...inShop, key, body: { price_plan_id: plan.json.plan.id } });
  for (const owner of ['TENANT', 'CONSUMER'] as const)
    await db.billingAccount.create({
      data: {
        ...{ consumerId, owner, mode: 'PREPAID', currency: 'USD', invoiceDueDays: 15, status: 'SUSPENDED' },
        ...(owner === 'TENANT' && { tenantId, tenantRef: 'shop' }),
      },
    });
  await setTenant({ status: 'SUSPENDED' });
  await setAccount({
    ...{ status: 'SUSPENDED', pricePlanId: operators.id, planMaxRate: '0.1', planCallsAtOnce: 0 },
    ...{ planCountries: ['US'], planBlockedPrefixes: ['4420'] },
  });
});
afterAll(() => web.stop());

const inShop = { path: { tenantRef: 'shop' } };
const setAccount = (data: Prisma.ConsumerUncheckedUpdateInput) =>
  web.runtime.db.consumer.update({ where: { id: consumerId }, data });
const setTenant = (data: Prisma.TenantUncheckedUpdateInput) =>
  web.runtime.db.tenant.update({ where: { id: tenantId }, data });
const setBilling = (owner: 'TENANT' | 'CONSUMER', data: Prisma.BillingAccountUncheckedUpdateManyInput) =>
  web.runtime.db.billingAccount.updateMany({ where: { consumerId, owner }, data });
const place = async (address: string) => {
  const body = { channel_ref: 'main', agent_ref: 'ada', customer: { address } };
  const { status, error } = await call('createCall', { ...inShop, key, body });
  return [status, error?.code ?? null];
};

test.each<[string, number, string | null, () => Promise<unknown>, string?]>([
  ['nothing', 403, 'consumer_suspended', () => Promise.resolve()],
  ['the account is active', 402, 'tenant_suspended', () => setAccount({ status: 'ACTIVE' })],
  ['the tenant is active', 403, 'emergency_not_supported', () => setTenant({ status: 'ACTIVE' }), EMERGENCY],
  ['another number', 403, 'destination_blocked', () => Promise.resolve()],
  ['no blocked range', 403, 'destination_not_allowed', () => setAccount({ planBlockedPrefixes: [] })],
  ['the country is allowed', 403, 'destination_not_allowed', () => setAccount({ planCountries: ['GB'] })],
  [
    'the plan has a price',
    403,
    'rate_too_high',
    () =>
      call('createRateEntry', {
        ...{ key, path: { deckId: String(deckId) }, body: { prefix: '44', rate: '0.5' } },
      }),
  ],
  ['a higher limit of rates', 402, 'tenant_suspended', () => setAccount({ planMaxRate: '0.4' })],
  [
    'not suspended',
    402,
    'tenant_outbound_blocked',
    () => setBilling('TENANT', { status: 'OUTBOUND_BLOCKED', balance: '9' }),
  ],
  [
    'not blocked, but empty',
    402,
    'tenant_outbound_blocked',
    () => setBilling('TENANT', { status: 'ACTIVE', balance: '0' }),
  ],
  ['too little', 402, 'tenant_insufficient_balance', () => setBilling('TENANT', { balance: '0.499999' })],
  ['the tenant can pay', 402, 'account_suspended', () => setBilling('TENANT', { balance: '0.5' })],
  [
    'not suspended',
    402,
    'outbound_blocked',
    () => setBilling('CONSUMER', { status: 'OUTBOUND_BLOCKED', balance: '9' }),
  ],
  [
    'not blocked, but empty',
    402,
    'outbound_blocked',
    () => setBilling('CONSUMER', { status: 'ACTIVE', balance: '0' }),
  ],
  ['too little', 402, 'insufficient_balance', () => setBilling('CONSUMER', { balance: '0.399999' })],
  ['the account can pay', 409, 'too_many_calls', () => setBilling('CONSUMER', { balance: '0.4' })],
  ['room for a call', 201, null, () => setAccount({ planCallsAtOnce: 5 })],
  // What the call before has reserved is not available to it.
  ['no change, once more', 402, 'tenant_outbound_blocked', () => Promise.resolve()],
])('with %s: %i %s', async (_, status, code, correct, address = CUSTOMER) => {
  await correct();
  // The web process keeps the account in memory until it is notified of the change.
  await expect.poll(() => place(address)).toEqual([status, code]);
});
