/** The operator's price plans on the command line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
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
  await clarion('consumer create --slug acme --name Acme');
});
afterAll(() => fixture.end());

const planView = z.looseObject({
  id: z.number(),
  name: z.string(),
  currency: z.string(),
  description: z.string().nullable(),
  accounts: z.number(),
  items: z.array(z.looseObject({ kind: z.string(), flatRate: z.string().nullable() })),
});
const item = (change: object = {}) =>
  JSON.stringify({ kind: 'CALL', method: 'FLAT', flat_rate: '0.02', ...change });
const create = (...options: string[]) =>
  clarionJson(planView, ['price-plan', 'create', '--name', 'Wholesale', ...options]);
const set = (id: number, ...options: string[]) =>
  clarionJson(planView, ['price-plan', 'set', '--id', String(id), ...options]);

test('a price plan is created with items, shown, changed in part and deleted', async () => {
  const { id } = await create(
    '--item',
    item(),
    item({ kind: 'SEAT', flat_rate: 5 }),
    '--description',
    'For all',
  );
  const created = await clarionJson(planView, `price-plan show --id ${id}`);
  expect(created).toMatchObject({ name: 'Wholesale', currency: 'USD', description: 'For all', accounts: 0 });
  expect(created.items.map(({ kind, flatRate }) => [kind, flatRate])).toEqual([
    ['CALL', '0.02'],
    ['SEAT', '5'],
  ]);
  const renamed = await set(id, '--name', 'Retail', '--description', 'none', '--currency', 'eur');
  expect(renamed).toMatchObject({ name: 'Retail', description: null, currency: 'EUR', items: created.items });
  const file = join(fixture.dir, 'items.json');
  writeFileSync(file, JSON.stringify([{ kind: 'CALL', method: 'DECK_MARKUP', markup_percent: '7.5' }]));
  expect((await set(id, '--items-file', file)).items).toMatchObject([{ markupPercent: '7.5' }]);
  writeFileSync(file, '[]');
  expect((await set(id, '--items-file', file)).items).toEqual([]);
  expect((await clarionJson(z.array(planView), 'price-plan list')).map((plan) => plan.id)).toEqual([id]);
  await clarion(`price-plan delete --id ${id}`);
  await expect(clarion(`price-plan show --id ${id}`)).rejects.toMatchObject({ code: 'not_found' });
  const entries = await withOperator(fixture.env, ({ db }) =>
    db.auditEntry.findMany({ where: { action: { startsWith: 'price_plan.' } }, orderBy: { id: 'asc' } }),
  );
  expect(entries.map(({ action, actorKind, consumerId }) => [action, actorKind, consumerId])).toEqual([
    ['price_plan.create', 'operator', null],
    ...Array.from({ length: 3 }, () => ['price_plan.put', 'operator', null]),
    ['price_plan.delete', 'operator', null],
  ]);
});

test('a plan that an account pays is not deleted and keeps its currency', async () => {
  const { id } = await create('--item', item());
  await clarion(`plan set --slug acme --price-plan ${id}`);
  await expect(clarion(`price-plan delete --id ${id}`)).rejects.toMatchObject({
    code: 'in_use',
    details: { usedBy: ['account:acme'] },
  });
  await expect(set(id, '--currency', 'GBP')).rejects.toMatchObject({ details: { field: 'currency' } });
  expect((await set(id, '--name', 'Kept')).accounts).toBe(1);
  await clarion('plan set --slug acme --price-plan none');
  await clarion(`price-plan delete --id ${id}`);
});

test('an account’s plan is not the operator’s', async () => {
  const { id } = await withOperator(fixture.env, async ({ db }) => {
    const consumer = await db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
    return db.pricePlan.create({ data: { name: 'Theirs', currency: 'USD', consumerId: consumer.id } });
  });
  for (const verb of ['show', 'set', 'delete']) {
    await expect(clarion(`price-plan ${verb} --id ${id}`)).rejects.toMatchObject({ code: 'not_found' });
  }
});

test('an error names the item', async () => {
  const deckId = await withOperator(fixture.env, async ({ db }) => {
    const { id: consumerId } = await db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
    const data = { name: 'Theirs', currency: 'USD', kind: 'SELL', consumerId } as const;
    return (await db.rateDeck.create({ data })).id;
  });
  const deck = item({ method: 'DECK', flat_rate: null, deck_id: deckId });
  for (const [items, field] of [
    [[item(), '{'], 'items[1]'],
    [[item(), item({ flat_rate: -1 })], 'items[1].flat_rate'],
    [[deck], 'items[0].deck_id'],
  ] as const) {
    await expect(create('--item', ...items)).rejects.toMatchObject({ details: { field } });
  }
  await expect(create('--item', item(), '--items-file', 'x')).rejects.toBeInstanceOf(CommanderError);
});
