/** Where rate decks are used: items of price plans and own trunks, and what their use prevents. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { platformTrunk } from '../tenant-fixture.ts';

let web: Web;
let key: string;
let foreignKey: string;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
  foreignKey = (await web.consumer('rival')).apiKey;
});
afterAll(() => web.stop());

let trunks = 0;
async function ownTrunk(slug = 'acme'): Promise<number> {
  trunks += 1;
  const { id: consumerId } = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug } });
  const { id } = await web.runtime.db.sipTrunk.create({
    data: { consumerId, name: `own-${trunks}`, ingressLabel: `own${trunks}`, host: '203.0.113.9' },
  });
  return id;
}
const deckId = async (kind: 'BUY' | 'SELL', as = key) =>
  (await call('createRateDeck', { key: as, body: { name: `${kind} deck`, kind } })).json.deck.id;
const planWith = async (deck_id: number) =>
  (
    await call('createPricePlan', {
      key,
      body: { name: 'Plan', items: [{ kind: 'CALL', method: 'DECK', deck_id }] },
    })
  ).json.plan.id;
const setDecks = (trunkId: number, body: Record<string, unknown>) =>
  call('putTrunkRateDecks', { key, path: { trunkId }, body });
const decksShown = async (trunkId: number) => {
  const { trunk } = (await call('getTrunk', { key, path: { trunkId } })).json;
  return 'buyDeckId' in trunk ? [trunk.buyDeckId, trunk.inboundBuyDeckId] : null;
};
const usage = async (id: number) => (await call('getRateDeck', { key, path: { deckId: id } })).json.usage;
const remove = (id: number) => call('deleteRateDeck', { key, path: { deckId: id } });
const rename = (id: number, currency: string) =>
  call('putRateDeck', { key, path: { deckId: id }, body: { name: 'Deck', currency } });

describe('the decks of a trunk', () => {
  test('are both set each time, and cleared with null or by omission', async () => {
    const trunkId = await ownTrunk();
    const [buy, inbound] = [await deckId('BUY'), await deckId('BUY')];
    expect(await decksShown(trunkId)).toEqual([null, null]);
    const both = await setDecks(trunkId, { buy_deck_id: buy, inbound_buy_deck_id: inbound });
    expect(both.json).toEqual({ trunkId, buyDeckId: buy, inboundBuyDeckId: inbound });
    expect(await decksShown(trunkId)).toEqual([buy, inbound]);
    expect((await setDecks(trunkId, { buy_deck_id: buy })).json.inboundBuyDeckId).toBeNull();
    await setDecks(trunkId, { buy_deck_id: null, inbound_buy_deck_id: buy });
    expect(await decksShown(trunkId)).toEqual([null, buy]);
    await setDecks(trunkId, {});
    expect(await decksShown(trunkId)).toEqual([null, null]);
    const { entries } = (await call('listAuditLog', { key, query: 'action=trunk.put_rate_decks' })).json;
    expect(entries).toHaveLength(4);
    expect(entries.at(-1)).toMatchObject({
      target: String(trunkId),
      details: { buyDeckId: buy, inboundBuyDeckId: inbound },
    });
  });

  test('are BUY decks of the account', async () => {
    const trunkId = await ownTrunk();
    const buy = await deckId('BUY');
    for (const bad of [await deckId('SELL'), await deckId('BUY', foreignKey), 2_000_000_000]) {
      expectError(await setDecks(trunkId, { buy_deck_id: bad }), 400, 'invalid_request', 'buy_deck_id');
      const both = { buy_deck_id: buy, inbound_buy_deck_id: bad };
      expectError(await setDecks(trunkId, both), 400, 'invalid_request', 'inbound_buy_deck_id');
    }
    expect(await decksShown(trunkId)).toEqual([null, null]);
  });

  test('belong to an own trunk', async () => {
    const platform = await platformTrunk(web, 'platform');
    for (const trunkId of [platform, await ownTrunk('rival'), 2_000_000_000]) {
      expectError(await setDecks(trunkId, {}), 404, 'not_found');
    }
  });

  test('are set by who may provision trunks', async () => {
    const trunkId = await ownTrunk();
    const buy = await deckId('BUY');
    const set = (session: string) =>
      call('putTrunkRateDecks', { session, path: { trunkId }, body: { buy_deck_id: buy } });
    const admin = await staffSession(web, 'acme', 'ADMIN');
    expect((await set(admin.session)).status).toBe(200);
    const supervisor = await staffSession(web, 'acme', 'SUPERVISOR');
    expectError(await set(supervisor.session), 403, 'forbidden');
  });

  test('are kept by a PUT of the trunk', async () => {
    const trunkId = await ownTrunk();
    const buy = await deckId('BUY');
    await setDecks(trunkId, { buy_deck_id: buy });
    web.runtime.settings.resolve = async () => ['198.41.0.4'];
    const body = { host: 'sip.carrier.example', inbound_source_cidrs: ['198.41.1.7'] };
    const put = await call('putTrunk', { key, path: { trunkId }, body });
    expect(put.json.trunk.buyDeckId).toBe(buy);
  });
});

describe('a deck in use', () => {
  test('shows its plans and trunks', async () => {
    const [deck, other] = [await deckId('BUY'), await deckId('BUY')];
    const [outbound, inbound, both] = [await ownTrunk(), await ownTrunk(), await ownTrunk()];
    await setDecks(outbound, { buy_deck_id: deck, inbound_buy_deck_id: other });
    await setDecks(inbound, { buy_deck_id: other, inbound_buy_deck_id: deck });
    await setDecks(both, { buy_deck_id: deck, inbound_buy_deck_id: deck });
    const plan = await planWith(deck);
    const shown = await usage(deck);
    expect(shown.plans).toEqual([{ id: plan, name: 'Plan' }]);
    expect(shown.trunks.map((trunk) => [trunk.id, trunk.outbound, trunk.inbound])).toEqual([
      [outbound, true, false],
      [inbound, false, true],
      [both, true, true],
    ]);
  });

  test('is not deleted, and the error names what uses it', async () => {
    const deck = await deckId('BUY');
    const trunkId = await ownTrunk();
    const plan = await planWith(deck);
    await setDecks(trunkId, { inbound_buy_deck_id: deck });
    const answer = await remove(deck);
    expectError(answer, 409, 'in_use');
    expect(answer.error?.details?.['usedBy']).toEqual([`pricePlan:${plan}`, `trunk:${trunkId}`]);
    await setDecks(trunkId, {});
    expect((await remove(deck)).error?.details?.['usedBy']).toEqual([`pricePlan:${plan}`]);
    await call('deletePricePlan', { key, path: { planId: plan } });
    expect((await remove(deck)).status).toBe(204);
  });

  test('keeps its currency', async () => {
    const deck = await deckId('BUY');
    expect((await rename(deck, 'EUR')).status).toBe(200);
    const trunkId = await ownTrunk();
    await setDecks(trunkId, { buy_deck_id: deck });
    expectError(await rename(deck, 'GBP'), 400, 'invalid_request', 'currency');
    expect((await rename(deck, 'EUR')).status).toBe(200);
    await setDecks(trunkId, {});
    expect((await rename(deck, 'USD')).status).toBe(200);
    await planWith(deck);
    expectError(await rename(deck, 'GBP'), 400, 'invalid_request', 'currency');
  });

  test('is either deleted or used, however they meet', async () => {
    const trunkId = await ownTrunk();
    for (let round = 0; round < 6; round += 1) {
      const deck = await deckId('BUY');
      const items = [{ kind: 'CALL', method: 'DECK', deck_id: deck }];
      const [trunk, plan, deleted] = await Promise.all([
        setDecks(trunkId, { buy_deck_id: deck }),
        call('createPricePlan', { key, body: { name: 'Racer', items } }),
        remove(deck),
      ]);
      if (deleted.status === 204) {
        expectError(trunk, 400, 'invalid_request', 'buy_deck_id');
        expectError(plan, 400, 'invalid_request', 'items[0].deck_id');
      } else {
        expectError(deleted, 409, 'in_use');
        expect([trunk.status, plan.status]).toContain(200 + Number(trunk.status !== 200));
      }
      await setDecks(trunkId, {});
    }
  });

  test('never has another currency than the plan that uses it, however they meet', async () => {
    for (let round = 0; round < 6; round += 1) {
      const deck = await deckId('SELL');
      const items = [{ kind: 'CALL', method: 'DECK', deck_id: deck }];
      const [plan, renamed] = await Promise.all([
        call('createPricePlan', { key, body: { name: 'Racer', items } }),
        rename(deck, 'EUR'),
      ]);
      if (renamed.status === 200) expectError(plan, 400, 'invalid_request', 'items[0].deck_id');
      else expectError(renamed, 400, 'invalid_request', 'currency');
    }
  });
});
