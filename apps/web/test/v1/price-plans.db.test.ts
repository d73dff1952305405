/** Price plans, the plans of tenants, and what prevents their deletion. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
let foreignKey: string;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
  foreignKey = (await web.consumer('rival')).apiKey;
});
afterAll(() => web.stop());

type Body = Record<string, unknown>;
const create = (body: Body, as = key) =>
  call('createPricePlan', { key: as, body: { name: 'Standard', ...body } });
const planId = async (body: Body = {}, as = key) => (await create(body, as)).json.plan.id;
const put = (id: number, body: Body) =>
  call('putPricePlan', { key, path: { planId: id }, body: { name: 'Standard', ...body } });
const get = async (id: number) => (await call('getPricePlan', { key, path: { planId: id } })).json.plan;
const remove = (id: number) => call('deletePricePlan', { key, path: { planId: id } });
const deckId = async (body: Body = {}, as = key) =>
  (await call('createRateDeck', { key: as, body: { name: 'Deck', ...body } })).json.deck.id;
const newTenant = (tenantRef: string, as = key) =>
  call('putTenant', { key: as, path: { tenantRef }, body: { name: tenantRef } });
const assign = (tenantRef: string, price_plan_id: number | null) =>
  call('putTenantPricePlan', { key, path: { tenantRef }, body: { price_plan_id } });
const planOfTenant = async (ref: string) =>
  (await web.runtime.db.tenant.findFirstOrThrow({ where: { ref, consumer: { slug: 'acme' } } })).pricePlanId;
const actions = async (query: string) =>
  (await call('listAuditLog', { key, query })).json.entries.map(({ action, target }) => [action, target]);

const flat = { kind: 'CALL', method: 'FLAT', flat_rate: '0.05' };

describe('a price plan', () => {
  test('is created with defaults, shown as stored, replaced and deleted', async () => {
    const deck = await deckId();
    const { json } = await create({
      name: ' Standard ',
      items: [
        { kind: 'call', method: 'deck', direction: 'outbound', channel: 'sip', deck_id: deck },
        {
          kind: 'CALL',
          method: 'DECK_MARKUP',
          trunk_owner: 'consumer',
          markup_percent: '12.50',
          initial_seconds: 1,
          increment_seconds: 6,
        },
        { kind: 'SEAT', method: 'FLAT', flat_rate: 9.5 },
      ],
    });
    const { plan } = json;
    const any = {
      direction: null,
      channel: null,
      trunkOwner: null,
      initialSeconds: 60,
      incrementSeconds: 60,
      flatRate: null,
      deckId: null,
      markupPercent: null,
    };
    expect(plan).toMatchObject({ name: 'Standard', currency: 'USD', description: null, tenants: 0 });
    expect(plan.items).toEqual([
      { ...any, kind: 'CALL', method: 'DECK', direction: 'OUTBOUND', channel: 'SIP', deckId: deck },
      {
        ...any,
        kind: 'CALL',
        method: 'DECK_MARKUP',
        trunkOwner: 'CONSUMER',
        markupPercent: '12.5',
        initialSeconds: 1,
        incrementSeconds: 6,
      },
      { ...any, kind: 'SEAT', method: 'FLAT', flatRate: '9.5' },
    ]);
    expect(await get(plan.id)).toEqual(plan);
    const replaced = await put(plan.id, { name: 'Other', currency: 'eur', description: 'D', items: [flat] });
    expect(replaced.json.plan).toMatchObject({ name: 'Other', currency: 'EUR', description: 'D' });
    expect(replaced.json.plan.items.map(({ method }) => method)).toEqual(['FLAT']);
    expect((await remove(plan.id)).status).toBe(204);
    expectError(await call('getPricePlan', { key, path: { planId: plan.id } }), 404, 'not_found');
    expectError(await remove(plan.id), 404, 'not_found');
    expectError(await put(plan.id, {}), 404, 'not_found');
    const target = String(plan.id);
    expect(await actions('action=price_plan&limit=3')).toEqual([
      ['price_plan.delete', target],
      ['price_plan.put', target],
      ['price_plan.create', target],
    ]);
  });

  test('loses its items with a PUT without items', async () => {
    const id = await planId({ items: [flat] });
    expect((await put(id, {})).json.plan.items).toEqual([]);
  });

  test('keeps the order of 50 items, and has no 51st', async () => {
    const items = Array.from({ length: 50 }, (_, index) => ({ ...flat, flat_rate: `0.${50 - index}1` }));
    const { plan } = (await create({ items })).json;
    expect(plan.items.map(({ flatRate }) => flatRate)).toEqual(items.map(({ flat_rate }) => flat_rate));
    expectError(await create({ items: [...items, flat] }), 400, 'invalid_request', 'items');
  });

  test('is listed oldest first, with its number of tenants, for its account only', async () => {
    const before = (await call('listPricePlans', { key })).json.plans.map(({ id }) => id);
    const [first, second] = [await planId({ name: 'A' }), await planId({ name: 'A' })];
    await newTenant('one');
    await newTenant('two');
    await assign('one', second);
    await assign('two', second);
    const { plans } = (await call('listPricePlans', { key })).json;
    expect(plans.map(({ id }) => id)).toEqual([...before, first, second]);
    expect(plans.at(-1)?.tenants).toBe(2);
    expect((await call('listPricePlans', { key: foreignKey })).json.plans).toEqual([]);
    for (const name of ['getPricePlan', 'putPricePlan', 'deletePricePlan'] as const) {
      const body = name === 'putPricePlan' ? { name: 'X' } : undefined;
      expectError(await call(name, { key: foreignKey, path: { planId: first }, body }), 404, 'not_found');
    }
    await assign('one', null);
    await assign('two', null);
  });

  test('of the operator is not the account’s', async () => {
    const { id } = await web.runtime.db.pricePlan.create({ data: { name: 'Operator', currency: 'USD' } });
    expectError(await call('getPricePlan', { key, path: { planId: id } }), 404, 'not_found');
    await newTenant('three');
    expectError(await assign('three', id), 400, 'invalid_request', 'price_plan_id');
  });
});

describe('a bad item is named', () => {
  test('a field with its path', async () => {
    const items = [flat, flat, { kind: 'CALL', method: 'DECK' }];
    expectError(await create({ items }), 400, 'invalid_request', 'items[2].deck_id');
  });

  test('a deck that does not exist, is another account’s, or has another currency', async () => {
    const priced = (deck_id: number) => ({ kind: 'CALL', method: 'DECK', deck_id });
    const own = await deckId({ kind: 'BUY' });
    const foreign = await deckId({}, foreignKey);
    const euros = await deckId({ currency: 'EUR' });
    const { id: operators } = await web.runtime.db.rateDeck.create({
      data: { name: 'Operator', currency: 'USD', kind: 'SELL' },
    });
    const id = await planId({ items: [priced(own)] });
    for (const bad of [2_000_000_000, foreign, euros, operators]) {
      const items = [priced(own), flat, priced(bad)];
      expectError(await create({ items }), 400, 'invalid_request', 'items[2].deck_id');
      expectError(await put(id, { items }), 400, 'invalid_request', 'items[2].deck_id');
      const markup = { kind: 'CALL', method: 'DECK_MARKUP', markup_percent: 10, deck_id: bad };
      expectError(await put(id, { items: [markup] }), 400, 'invalid_request', 'items[0].deck_id');
    }
    expect((await get(id)).items.map(({ deckId: each }) => each)).toEqual([own]);
    expect((await put(id, { currency: 'EUR', items: [priced(euros)] })).json.plan.currency).toBe('EUR');
  });
});

test('amounts and markups are stored exactly, whether sent as a number or as text', async () => {
  const millionths = fc.bigInt({ min: -100_000_000n, max: 100_000_000_000n });
  await fc.assert(
    fc.asyncProperty(millionths, fc.boolean(), async (value, asText) => {
      const exact = decimal(value);
      const given = asText ? exact : Number(exact);
      const items = [{ kind: 'CALL', method: 'DECK_MARKUP', markup_percent: given }];
      expect((await create({ items })).json.plan.items[0]?.markupPercent).toBe(exact);
    }),
    { numRuns: 25 },
  );
});
/** Millionths → the shortest decimal. */
function decimal(value: bigint): string {
  const size = value < 0n ? -value : value;
  const text = `${size / 1_000_000n}.${String(size % 1_000_000n).padStart(6, '0')}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}

describe('the plan of a tenant', () => {
  test('is set, kept by a PUT of the tenant, and removed with null', async () => {
    const id = await planId();
    await newTenant('shop');
    expect((await assign('shop', id)).json).toEqual({ tenantRef: 'shop', pricePlanId: id });
    await newTenant('shop');
    expect(await planOfTenant('shop')).toBe(id);
    expect((await get(id)).tenants).toBe(1);
    expect((await assign('shop', null)).json).toEqual({ tenantRef: 'shop', pricePlanId: null });
    expect(await planOfTenant('shop')).toBeNull();
    expect(await actions('action=tenant.put_price_plan&limit=1')).toEqual([
      ['tenant.put_price_plan', 'shop'],
    ]);
  });

  test('is one of the account, for a tenant of the account', async () => {
    const foreign = await planId({}, foreignKey);
    await newTenant('shop');
    await newTenant('theirs', foreignKey);
    for (const bad of [foreign, 2_000_000_000]) {
      expectError(await assign('shop', bad), 400, 'invalid_request', 'price_plan_id');
    }
    expectError(await assign('theirs', null), 404, 'not_found');
  });
});

describe('a plan in use', () => {
  test('is not deleted, and the error names its tenants', async () => {
    const id = await planId();
    await newTenant('user-a');
    await newTenant('user-b');
    await assign('user-a', id);
    await assign('user-b', id);
    const answer = await remove(id);
    expectError(answer, 409, 'in_use');
    expect(answer.error?.details?.['usedBy']).toEqual(['tenant:user-a', 'tenant:user-b']);
    await assign('user-a', null);
    await assign('user-b', null);
    expect((await remove(id)).status).toBe(204);
  });

  test('names at most 50 tenants', async () => {
    const id = await planId();
    const consumer = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
    await web.runtime.db.tenant.createMany({
      data: Array.from({ length: 60 }, (_, index) => ({
        consumerId: consumer.id,
        ref: `many-${index}`,
        name: 'Many',
        pricePlanId: id,
      })),
    });
    expect((await remove(id)).error?.details?.['usedBy']).toHaveLength(50);
  });

  test('keeps its currency', async () => {
    const id = await planId({ items: [flat] });
    expect((await put(id, { currency: 'GBP' })).status).toBe(200);
    await newTenant('shop');
    await assign('shop', id);
    expectError(await put(id, { currency: 'USD' }), 400, 'invalid_request', 'currency');
    expectError(await put(id, {}), 400, 'invalid_request', 'currency');
    expect((await put(id, { currency: 'GBP', items: [flat] })).json.plan.items).toHaveLength(1);
    await assign('shop', null);
    expect((await put(id, { currency: 'USD' })).status).toBe(200);
  });

  test('is either deleted or assigned, however they meet', async () => {
    await newTenant('racer');
    for (let round = 0; round < 8; round += 1) {
      const id = await planId();
      const [assigned, deleted] = await Promise.all([assign('racer', id), remove(id)]);
      if (deleted.status === 204) expectError(assigned, 400, 'invalid_request', 'price_plan_id');
      else {
        expectError(deleted, 409, 'in_use');
        expect(assigned.status).toBe(200);
      }
      await assign('racer', null);
    }
  });
});
