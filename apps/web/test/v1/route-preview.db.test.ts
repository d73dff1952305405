/** The preview of an outbound call over the API: every rule that can refuse it, and the trunks at their prices. */
import { routeRuleCodes } from '@clarion/protocol/v1/price/route-preview';
import type { RouteRuleCode } from '@clarion/protocol/v1/price/route-preview';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

const LONDON = '+442079460123';
const LINE = '+442071838750';

let web: Web;
let key: string;
/** An own trunk of the account, and its backup: a trunk of the platform. */
let ownId: number;
let platformId: number;
let buyDeckId: number;

beforeAll(async () => {
  web = await startWeb();
  const fixture = await createTenantFixture(web, 'acme');
  ({ key, trunkId: platformId } = fixture);
  const { db } = web.runtime;
  const { id: consumerId } = await db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  const trunk = { consumerId, name: 'own', host: 'carrier.test', ingressLabel: 'own' };
  ownId = (
    await db.sipTrunk.create({ data: { ...trunk, status: 'ACTIVE', techPrefixes: { outbound: '99' } } })
  ).id;
  buyDeckId = await deck('BUY', [{ prefix: '44', destination: 'UK', rate: '0.02', connection_fee: '0.01' }]);
});
afterAll(() => web.stop());

beforeEach(async () => {
  const { db } = web.runtime;
  await db.sipTrunk.updateMany({ data: { status: 'ACTIVE', buyDeckId: null } });
  await db.tenant.updateMany({ data: { status: 'ACTIVE', pricePlanId: null } });
  await web.changeConsumer('acme', {
    planCountries: [],
    planBlockedPrefixes: [],
    planMaxRate: null,
    pricePlan: { disconnect: true },
  });
  await putLine();
});

async function deck(kind: 'BUY' | 'SELL', entries: object[], currency = 'USD'): Promise<number> {
  const body = { name: `${kind} deck`, kind, currency };
  const { id } = (await call('createRateDeck', { key, body })).json.deck;
  for (const entry of entries) await call('createRateEntry', { key, path: { deckId: id }, body: entry });
  return id;
}
const putLine = (more: object = {}) =>
  call('putChannel', {
    key,
    path: { tenantRef: 'shop', channelRef: 'main' },
    body: { type: 'SIP', address: LINE, sip_trunk_id: ownId, ...more },
  });
const putWhatsAppLine = (credentials: object | null) =>
  call('putChannel', {
    key,
    path: { tenantRef: 'shop', channelRef: 'wa' },
    body: { type: 'WHATSAPP', address: '+447700901001', provider_account_id: '1001', credentials },
  });
const useBuyDeck = () => web.runtime.db.sipTrunk.update({ where: { id: ownId }, data: { buyDeckId } });
/** Puts the tenant on a plan with one item for calls. */
async function useTenantPlan(item: object, currency = 'USD'): Promise<void> {
  const body = { name: 'Plan', currency, items: [{ kind: 'CALL', ...item }] };
  const { id } = (await call('createPricePlan', { key, body })).json.plan;
  await call('putTenantPricePlan', { key, path: { tenantRef: 'shop' }, body: { price_plan_id: id } });
}
/** Puts the account on a plan of the operator with one flat price for calls: by default on trunks of the platform. */
async function usePlatformPlan(
  flatRate: string,
  item: { channelType?: 'WHATSAPP'; trunkOwner?: 'PLATFORM' } = { trunkOwner: 'PLATFORM' },
): Promise<void> {
  const blocks = { initialSeconds: 60, incrementSeconds: 60 };
  const items = {
    create: { position: 0, kind: 'CALL', method: 'FLAT', flatRate, ...blocks, ...item },
  } as const;
  const { id } = await web.runtime.db.pricePlan.create({
    data: { name: 'Operator', currency: 'USD', items },
  });
  await web.changeConsumer('acme', { pricePlan: { connect: { id } } });
}

const ask = (more: object = {}, as = key) =>
  call('previewRoute', {
    key: as,
    body: { tenant_ref: 'shop', channel_ref: 'main', number: LONDON, ...more },
  });
const preview = async (more: object = {}) => (await ask(more)).json.preview;
const routes = async (more: object = {}) =>
  (await preview(more)).routes.map(({ trunk, order, excluded }) => [trunk?.id ?? null, order, excluded]);
/** What placing the call is answered. */
const placed = async (more: { channel_ref?: string; number?: string } = {}) => {
  const body = {
    channel_ref: more.channel_ref ?? 'main',
    agent_ref: 'ada',
    customer: { address: more.number ?? LONDON },
  };
  const { error } = await call('createCall', { key, path: { tenantRef: 'shop' }, body });
  return error && { code: error.code, message: error.message };
};

describe('a refused call', () => {
  interface Refused {
    code: RouteRuleCode;
    make?: () => Promise<unknown>;
    ask?: { channel_ref?: string; number?: string };
    number?: string | null;
  }
  const refused: Refused[] = [
    {
      code: 'tenant_suspended',
      make: () => web.runtime.db.tenant.updateMany({ data: { status: 'SUSPENDED' } }),
    },
    { code: 'channel_disabled', make: () => putLine({ status: 'DISABLED' }) },
    { code: 'unsupported_channel', make: () => putWhatsAppLine(null), ask: { channel_ref: 'wa' } },
    { code: 'invalid_customer', ask: { number: 'nobody' }, number: null },
    { code: 'emergency_not_supported', ask: { number: '999' }, number: null },
    {
      code: 'destination_blocked',
      make: () => web.changeConsumer('acme', { planBlockedPrefixes: ['4420'] }),
    },
    { code: 'destination_blocked', ask: { number: '+870 773 111 632' }, number: '+870773111632' },
    { code: 'destination_not_allowed', make: () => web.changeConsumer('acme', { planCountries: ['FR'] }) },
    {
      code: 'rate_too_high',
      make: async () => {
        await useBuyDeck();
        await web.changeConsumer('acme', { planMaxRate: '0.019' });
      },
    },
    {
      code: 'rate_too_high',
      make: async () => {
        await useBuyDeck();
        await useTenantPlan({ method: 'FLAT', flat_rate: '0.01' });
        await putLine({ margin_guard: true });
      },
    },
  ];
  test.each(refused)(
    '$code is shown with the answer to the call, after the rules that passed',
    async (one) => {
      await one.make?.();
      const shown = await preview(one.ask);
      expect(shown.number).toBe(one.number === undefined ? LONDON : one.number);
      expect(shown.rules).toEqual(
        routeRuleCodes
          .slice(0, routeRuleCodes.indexOf(one.code) + 1)
          .map((code) => ({ code, passed: code !== one.code })),
      );
      expect(shown.refusal?.code).toBe(one.code);
      expect(await placed(one.ask)).toEqual(shown.refusal);
      if (one.code !== 'rate_too_high') expect(shown.routes).toEqual([]);
    },
  );

  test('by its price is shown with the trunks and why none is used', async () => {
    await useBuyDeck();
    await usePlatformPlan('0.05');
    await web.changeConsumer('acme', { planMaxRate: '0.01' });
    await putLine({ backup_sip_trunk_id: platformId });
    expect(await routes()).toEqual([
      [ownId, null, 'RATE_TOO_HIGH'],
      [platformId, null, 'RATE_TOO_HIGH'],
    ]);
  });
});

describe('the trunks of a call', () => {
  test('are those of the line, with the numbers that the carrier receives and no prices', async () => {
    await putLine({ backup_sip_trunk_id: platformId });
    const shown = await preview({ number: '00 44 (20) 7946-0123' });
    expect(shown).toMatchObject({ number: LONDON, refusal: null });
    expect(shown.rules).toEqual(routeRuleCodes.map((code) => ({ code, passed: true })));
    const none = {
      excluded: null,
      carrier: null,
      platform: null,
      tenant: null,
      costPerMinute: null,
      marginPerMinute: null,
    };
    expect(shown.routes).toMatchObject([
      {
        trunk: { id: ownId, name: 'own', owner: 'CONSUMER', status: 'ACTIVE' },
        order: 1,
        called: expect.stringMatching(/^99\+?442079460123$/),
        caller: expect.stringMatching(/442071838750$/),
        ...none,
      },
      { trunk: { id: platformId, owner: 'PLATFORM' }, order: 2, ...none },
    ]);
  });

  test('have the prices of the carrier, the operator and the tenant, with the entry of the deck', async () => {
    await useBuyDeck();
    await usePlatformPlan('0.03');
    await useTenantPlan({ method: 'DECK_MARKUP', markup_percent: '50' });
    await putLine({ backup_sip_trunk_id: platformId });
    const [own, platform] = (await preview()).routes;
    const entry = { deckId: buyDeckId, deckName: 'BUY deck', prefix: '44', destination: 'UK' };
    const carrier = { currency: 'USD', ratePerMinute: '0.02', connectionFee: '0.01', initialSeconds: 60 };
    expect(own).toMatchObject({
      carrier: { ...carrier, method: null, markupPercent: null, entry },
      platform: null,
      tenant: { ...carrier, method: 'DECK_MARKUP', markupPercent: '50', entry },
      costPerMinute: { amount: '0.02', currency: 'USD' },
      marginPerMinute: { amount: '0.01', currency: 'USD' },
    });
    expect(platform).toMatchObject({
      carrier: null,
      platform: { ratePerMinute: '0.03', method: null, entry: null },
      tenant: { ratePerMinute: '0.03', method: 'DECK_MARKUP', markupPercent: '50', entry: null },
      costPerMinute: { amount: '0.03', currency: 'USD' },
      marginPerMinute: { amount: '0.015', currency: 'USD' },
    });
  });

  test('have a cost without a margin if the tenant pays in another currency', async () => {
    await useBuyDeck();
    await useTenantPlan({ method: 'FLAT', flat_rate: '0.1' }, 'EUR');
    expect((await preview()).routes).toMatchObject([
      {
        costPerMinute: { amount: '0.02', currency: 'USD' },
        tenant: { currency: 'EUR' },
        marginPerMinute: null,
      },
    ]);
  });

  test('are tried at the least cost only on a line with least-cost routing', async () => {
    await useBuyDeck();
    await usePlatformPlan('0.01');
    await putLine({ backup_sip_trunk_id: platformId });
    expect(await routes()).toEqual([
      [ownId, 1, null],
      [platformId, 2, null],
    ]);
    await putLine({ backup_sip_trunk_id: platformId, least_cost_routing: true });
    expect(await routes()).toEqual([
      [platformId, 1, null],
      [ownId, 2, null],
    ]);
  });

  test('leave out one that costs more than the tenant pays, on a line with a margin guard', async () => {
    await useBuyDeck();
    await usePlatformPlan('0.01');
    await useTenantPlan({ method: 'FLAT', flat_rate: '0.015' });
    await putLine({ backup_sip_trunk_id: platformId, margin_guard: true });
    expect(await routes()).toEqual([
      [platformId, 1, null],
      [ownId, null, 'MARGIN'],
    ]);
    expect((await preview()).routes[1]?.marginPerMinute).toEqual({ amount: '-0.005', currency: 'USD' });
    await putLine({ backup_sip_trunk_id: platformId });
    expect(await routes()).toEqual([
      [ownId, 1, null],
      [platformId, 2, null],
    ]);
  });

  test('leave out one that is not active, even if it is the cheapest', async () => {
    await useBuyDeck();
    await usePlatformPlan('0.05');
    await putLine({ backup_sip_trunk_id: platformId, least_cost_routing: true });
    await web.runtime.db.sipTrunk.update({ where: { id: ownId }, data: { status: 'DISABLED' } });
    expect(await routes()).toEqual([
      [platformId, 1, null],
      [ownId, null, 'TRUNK_NOT_ACTIVE'],
    ]);
  });

  test('are none for a WhatsApp line, which calls at any price', async () => {
    await putWhatsAppLine({ access_token: 'EAAG-token' });
    await useTenantPlan({ method: 'FLAT', flat_rate: '0.2' });
    await web.changeConsumer('acme', { planMaxRate: '0.01' });
    await usePlatformPlan('0.4', { channelType: 'WHATSAPP' });
    const shown = await preview({ channel_ref: 'wa' });
    expect(shown).toMatchObject({ number: LONDON, refusal: null });
    expect(shown.routes).toMatchObject([
      { trunk: null, order: 1, excluded: null, called: null, platform: { ratePerMinute: '0.4' } },
    ]);
    expect(await placed({ channel_ref: 'wa' })).toBeNull();
  });
});

describe('a preview', () => {
  test('of an unknown tenant, or one of another account, is 400 and names the tenant', async () => {
    expectError(await ask({ tenant_ref: 'nowhere' }), 400, 'invalid_request', 'tenant_ref');
    const stranger = (await web.consumer('stranger')).apiKey;
    expectError(await ask({}, stranger), 400, 'invalid_request', 'tenant_ref');
  });

  test('of an unknown line is 400 and names the line', async () => {
    expectError(await ask({ channel_ref: 'nowhere' }), 400, 'invalid_request', 'channel_ref');
  });

  test('creates nothing', async () => {
    const { db } = web.runtime;
    const before = [await db.call.count(), await db.auditEntry.count(), await db.usageRecord.count()];
    await preview();
    expect([await db.call.count(), await db.auditEntry.count(), await db.usageRecord.count()]).toEqual(
      before,
    );
  });
});
