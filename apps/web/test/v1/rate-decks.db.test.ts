import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
});
afterAll(() => web.stop());
afterEach(() => web.setNow(null));

const MINUTE_MS = 60_000;
const minutesLater = (at: Date, minutes: number) => new Date(at.getTime() + minutes * MINUTE_MS);
const start = new Date('2026-05-04T10:00:00.000Z');

async function newDeck(body: Record<string, unknown> = {}): Promise<number> {
  const { json } = await call('createRateDeck', { key, body: { name: 'Retail', ...body } });
  return json.deck.id;
}
const price = (deckId: number, prefix: string, rate: string, more: Record<string, unknown> = {}) =>
  call('createRateEntry', { key, path: { deckId }, body: { prefix, rate, ...more } });
const change = (deckId: number, entryId: number, rate: string, more: Record<string, unknown> = {}) =>
  call('putRateEntry', { key, path: { deckId, entryId }, body: { rate, ...more } });
const remove = (deckId: number, entryId: number) =>
  call('deleteRateEntry', { key, path: { deckId, entryId } });
const list = async (deckId: number, query = '') =>
  (await call('listRateEntries', { key, path: { deckId }, query })).json;
const prefixes = async (deckId: number, query = '') =>
  (await list(deckId, query)).entries.map(({ prefix, rate }) => `${prefix} ${rate}`);
const detail = async (deckId: number) => (await call('getRateDeck', { key, path: { deckId } })).json;
const lookup = async (deckId: number, number: string, seconds?: number) =>
  (
    await call('lookupRate', {
      key,
      path: { deckId },
      query: `number=${encodeURIComponent(number)}${seconds === undefined ? '' : `&seconds=${seconds}`}`,
    })
  ).json;
/** As an import of a price that takes effect later stores it: the price before it ends when it begins. */
async function schedule(deckId: number, prefix: string, rate: string, effectiveFrom: Date): Promise<number> {
  const { db } = web.runtime;
  await db.rateEntry.updateMany({
    where: { deckId, prefix, effectiveTo: null },
    data: { effectiveTo: effectiveFrom },
  });
  const blocks = { initialSeconds: 60, incrementSeconds: 60, connectionFee: '0' };
  return (await db.rateEntry.create({ data: { deckId, prefix, rate, effectiveFrom, ...blocks } })).id;
}

describe('rate decks', () => {
  test('are created with defaults, listed oldest first, replaced and deleted', async () => {
    const { json } = await call('createRateDeck', { key, body: { name: ' First ' } });
    expect(json.deck).toMatchObject({ name: 'First', currency: 'USD', kind: 'SELL', description: null });
    const buy = await newDeck({ name: 'Carrier', kind: 'buy', currency: 'eur', description: 'A carrier' });
    const decks = (await call('listRateDecks', { key })).json.decks;
    expect(decks.map(({ name, kind, currency }) => [name, kind, currency])).toEqual([
      ['First', 'SELL', 'USD'],
      ['Carrier', 'BUY', 'EUR'],
    ]);
    const put = await call('putRateDeck', { key, path: { deckId: buy }, body: { name: 'Carrier 2' } });
    expect(put.json.deck).toMatchObject({
      name: 'Carrier 2',
      currency: 'EUR',
      kind: 'BUY',
      description: null,
    });
    await price(buy, '44', '0.01');
    expect((await call('deleteRateDeck', { key, path: { deckId: buy } })).status).toBe(204);
    expectError(await call('getRateDeck', { key, path: { deckId: buy } }), 404, 'not_found');
  });

  test('show what is in force, what will change and who changed what', async () => {
    web.setNow(start);
    const deckId = await newDeck();
    expect((await detail(deckId)).stats).toEqual({
      rowsInForce: 0,
      destinations: 0,
      minRate: null,
      maxRate: null,
      avgRate: null,
      scheduled: 0,
      nextChange: null,
    });
    await price(deckId, '44', '0.01', { destination: 'United Kingdom' });
    await price(deckId, '4420', '0.02', { destination: 'United Kingdom' });
    await price(deckId, '49', '0.02', { destination: 'Germany' });
    const later = minutesLater(start, 90);
    await schedule(deckId, '49', '0.5', later);
    const { stats, imports, usage } = await detail(deckId);
    expect(stats).toEqual({
      rowsInForce: 3,
      destinations: 2,
      minRate: '0.01',
      maxRate: '0.02',
      avgRate: '0.016667',
      scheduled: 1,
      nextChange: later.toISOString(),
    });
    expect(usage).toEqual({ trunks: [], plans: [] });
    expect(imports.map(({ kind, note, added }) => [kind, note, added])).toEqual([
      ['EDIT', 'Prefix 49 costs 0.02.', 1],
      ['EDIT', 'Prefix 4420 costs 0.02.', 1],
      ['EDIT', 'Prefix 44 costs 0.01.', 1],
    ]);
  });

  test('show the 50 latest imports and changes', async () => {
    const deckId = await newDeck();
    const { entry } = (await price(deckId, '1', '0.01')).json;
    let { id } = entry;
    for (let cents = 2; cents <= 52; cents += 1) id = (await change(deckId, id, `0.${cents}`)).json.entry.id;
    const { imports } = await detail(deckId);
    expect(imports).toHaveLength(50);
    expect(imports[0]?.note).toBe('Prefix 1 costs 0.52 instead of 0.51.');
  });
});

describe('the price of a prefix', () => {
  test('is set once, with or without a plus', async () => {
    const deckId = await newDeck();
    const { json } = await price(deckId, '+4420', '0.0120', { increment_seconds: 1, connection_fee: 0.05 });
    expect(json.entry).toMatchObject({
      prefix: '4420',
      destination: null,
      rate: '0.012',
      initialSeconds: 60,
      incrementSeconds: 1,
      connectionFee: '0.05',
      effectiveTo: null,
    });
    expectError(await price(deckId, '4420', '0.02'), 409, 'exists', 'prefix');
    expect((await call('getRateEntry', { key, path: { deckId, entryId: json.entry.id } })).json).toEqual(
      json,
    );
  });

  test('is not set while another price of the prefix is scheduled', async () => {
    web.setNow(start);
    const deckId = await newDeck();
    await schedule(deckId, '44', '0.02', minutesLater(start, 60));
    expectError(await price(deckId, '44', '0.01'), 409, 'exists', 'prefix');
  });

  test('changes now, until the scheduled change that stays', async () => {
    web.setNow(start);
    const deckId = await newDeck();
    const { entry } = (await price(deckId, '44', '0.01')).json;
    const later = minutesLater(start, 60);
    await schedule(deckId, '44', '0.05', later);
    const now = minutesLater(start, 10);
    web.setNow(now);
    const changed = (await change(deckId, entry.id, '0.02')).json.entry;
    expect(changed).toMatchObject({
      rate: '0.02',
      effectiveFrom: now.toISOString(),
      effectiveTo: later.toISOString(),
    });
    expect(changed.id).not.toBe(entry.id);
    const ended = (await call('getRateEntry', { key, path: { deckId, entryId: entry.id } })).json.entry;
    expect(ended).toMatchObject({ rate: '0.01', effectiveTo: now.toISOString() });
    expect(await prefixes(deckId, 'status=ended')).toEqual(['44 0.01']);
    expect(await prefixes(deckId, 'status=scheduled')).toEqual(['44 0.05']);
    expect(await prefixes(deckId)).toEqual(['44 0.02', '44 0.05']);
    web.setNow(minutesLater(start, 61));
    expect((await lookup(deckId, '442079460123')).entry?.rate).toBe('0.05');
  });

  test('that has not begun is changed in place', async () => {
    web.setNow(start);
    const deckId = await newDeck();
    const later = minutesLater(start, 60);
    const id = await schedule(deckId, '44', '0.05', later);
    expect((await change(deckId, id, '0.06')).json.entry).toMatchObject({
      id,
      rate: '0.06',
      effectiveFrom: later.toISOString(),
    });
  });

  test('does not change to itself, and an ended one does not change', async () => {
    const deckId = await newDeck();
    const { entry } = (await price(deckId, '44', '0.01', { destination: 'UK' })).json;
    expectError(await change(deckId, entry.id, '0.010', { destination: 'UK' }), 400, 'unchanged');
    await change(deckId, entry.id, '0.02');
    expectError(await change(deckId, entry.id, '0.03'), 409, 'ended');
    expectError(await remove(deckId, entry.id), 409, 'ended');
  });

  test('in force ends when it is deleted', async () => {
    web.setNow(start);
    const deckId = await newDeck();
    const { entry } = (await price(deckId, '44', '0.01')).json;
    const now = minutesLater(start, 5);
    web.setNow(now);
    expect((await remove(deckId, entry.id)).json.entry).toEqual({ ...entry, effectiveTo: now.toISOString() });
    expect(await lookup(deckId, '442079460123')).toEqual({ number: '+442079460123', entry: null });
    expect((await price(deckId, '44', '0.02')).status).toBe(201);
  });

  test('goes on when the scheduled change of it is deleted', async () => {
    web.setNow(start);
    const deckId = await newDeck();
    const { entry } = (await price(deckId, '44', '0.01')).json;
    const scheduled = await schedule(deckId, '44', '0.05', minutesLater(start, 60));
    const removed = (await remove(deckId, scheduled)).json.entry;
    expect(removed).toMatchObject({ id: scheduled, rate: '0.05', effectiveTo: null });
    expectError(await call('getRateEntry', { key, path: { deckId, entryId: scheduled } }), 404, 'not_found');
    expect((await list(deckId)).entries).toEqual([entry]);
  });

  test('created and deleted at the same moment leaves nothing', async () => {
    web.setNow(start);
    const deckId = await newDeck();
    const { entry } = (await price(deckId, '44', '0.01')).json;
    await remove(deckId, entry.id);
    expect(await prefixes(deckId)).toEqual([]);
    expect(await prefixes(deckId, 'status=ended')).toEqual([]);
  });

  test('is set by one of several requests at once', async () => {
    const deckId = await newDeck();
    const answers = await Promise.all(
      ['0.01', '0.02', '0.03', '0.04'].map((rate) => price(deckId, '44', rate)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  test('never overlaps another, whatever is done in any order', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('create' as const), prefix: fc.constantFrom('1', '12') }),
      fc.record({ do: fc.constant('change' as const), index: fc.nat(9) }),
      fc.record({ do: fc.constant('delete' as const), index: fc.nat(9) }),
      fc.record({ do: fc.constant('schedule' as const), prefix: fc.constantFrom('1', '12') }),
      fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 0, max: 90 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        let now = start;
        web.setNow(now);
        const deckId = await newDeck();
        for (const [index, action] of steps.entries()) {
          const { entries } = await list(deckId, 'limit=500');
          const rate = `0.${index + 1}`;
          if (action.do === 'wait') web.setNow((now = minutesLater(now, action.minutes)));
          else if (action.do === 'create') await price(deckId, action.prefix, rate);
          else if (action.do === 'schedule') {
            const open = entries.find(({ prefix, effectiveTo }) => prefix === action.prefix && !effectiveTo);
            // An import schedules a change after the price that it replaces.
            if (open && new Date(open.effectiveFrom) <= now)
              await schedule(deckId, action.prefix, rate, minutesLater(now, 30));
          } else {
            const entry = entries[action.index % Math.max(1, entries.length)];
            if (!entry) continue;
            const done = action.do === 'change' ? change(deckId, entry.id, rate) : remove(deckId, entry.id);
            expect((await done).status).toBe(200);
          }
        }
        const overlaps = await web.runtime.db.$queryRaw<unknown[]>`
          select 1 from "RateEntry" a join "RateEntry" b on a."deckId" = b."deckId" and a."prefix" = b."prefix" and a."id" < b."id"
          where a."deckId" = ${deckId}
            and tstzrange(a."effectiveFrom", a."effectiveTo") && tstzrange(b."effectiveFrom", b."effectiveTo")`;
        expect(overlaps).toEqual([]);
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});

describe('entries', () => {
  async function filled(): Promise<number> {
    const deckId = await newDeck();
    await price(deckId, '44', '0.03', { destination: 'United Kingdom' });
    await price(deckId, '4420', '0.01', { destination: 'United Kingdom, London' });
    await price(deckId, '447', '0.2', { destination: 'UK 100% mobile_network' });
    await price(deckId, '49', '0.02');
    return deckId;
  }

  test('are found by a number: those that price it, those under it, and the one that matches', async () => {
    const deckId = await filled();
    const found = await list(deckId, `q=${encodeURIComponent('+44 (20) 7946-0123')}`);
    expect(found.entries.map(({ prefix }) => prefix)).toEqual(['44', '4420']);
    expect(found.match?.prefix).toBe('4420');
    const under = await list(deckId, 'q=44');
    expect(under.entries.map(({ prefix }) => prefix)).toEqual(['44', '4420', '447']);
    expect(under.match?.prefix).toBe('44');
    expect((await list(deckId, 'q=33')).match).toBeNull();
  });

  test('are found by a part of the destination, in which no character is special', async () => {
    const deckId = await filled();
    expect(await prefixes(deckId, 'q=KINGDOM')).toEqual(['44 0.03', '4420 0.01']);
    expect(await prefixes(deckId, `q=${encodeURIComponent('100% m')}`)).toEqual(['447 0.2']);
    expect(await prefixes(deckId, `q=${encodeURIComponent('e_n')}`)).toEqual(['447 0.2']);
    expect(await prefixes(deckId, `q=${encodeURIComponent('%')}`)).toEqual(['447 0.2']);
    expect(await list(deckId, 'q=kingdom')).not.toHaveProperty('match');
  });

  test('are sorted, filtered by price and returned in pages', async () => {
    const deckId = await filled();
    expect(await prefixes(deckId, 'sort=rate')).toEqual(['4420 0.01', '49 0.02', '44 0.03', '447 0.2']);
    expect(await prefixes(deckId, 'sort=-rate&limit=2')).toEqual(['447 0.2', '44 0.03']);
    expect(await prefixes(deckId, 'sort=destination&page=2&limit=3')).toEqual(['49 0.02']);
    expect(await prefixes(deckId, 'min_rate=0.02&max_rate=0.03')).toEqual(['44 0.03', '49 0.02']);
    expect(await list(deckId, 'limit=1&page=4')).toMatchObject({ total: 4, page: 4, limit: 1 });
  });

  test('price a call by blocks: the longest prefix, one connection fee', async () => {
    const deckId = await newDeck();
    await price(deckId, '44', '0.06', { initial_seconds: 30, increment_seconds: 6, connection_fee: '0.1' });
    const call31 = await lookup(deckId, '+44 20 7946 0123', 31);
    expect(call31).toMatchObject({
      number: '+442079460123',
      entry: { prefix: '44' },
      call: { seconds: 31, billedSeconds: 36, amount: '0.136' },
    });
    expect((await lookup(deckId, '44', 0)).call).toEqual({ seconds: 0, billedSeconds: 0, amount: '0' });
    expect((await lookup(deckId, '44')).call).toMatchObject({ seconds: 60, billedSeconds: 60 });
    const word = await call('lookupRate', { key, path: { deckId }, query: 'number=London' });
    expectError(word, 400, 'invalid_request', 'number');
  });
});

test('changes are in the audit log', async () => {
  const deckId = await newDeck();
  const { entry } = (await price(deckId, '44', '0.01')).json;
  await change(deckId, entry.id, '0.02');
  const rows = await web.runtime.db.auditEntry.findMany({
    where: { target: String(deckId) },
    orderBy: { id: 'asc' },
    select: { action: true },
  });
  expect(rows.map(({ action }) => action)).toEqual([
    'rate_deck.create',
    'rate_entry.create',
    'rate_entry.put',
  ]);
});
