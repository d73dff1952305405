/** Rate decks on the command line: of an account, and of the operator. */
import { readFileSync, writeFileSync } from 'node:fs';
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
  for (const slug of ['acme', 'rival']) await clarion(`consumer create --slug ${slug} --name ${slug}`);
});
afterAll(() => fixture.end());

const deckView = z.looseObject({ id: z.number(), kind: z.string(), currency: z.string() });
const entryView = z.looseObject({ prefix: z.string(), rate: z.string(), incrementSeconds: z.number() });
const importView = z.looseObject({ added: z.number(), changed: z.number(), ended: z.number() });

const deck = async (options = '') =>
  (await clarionJson(deckView, `deck create --slug acme --name Carrier --kind BUY ${options}`.trim())).id;
const on = (id: number) => `--slug acme --id ${id}`;
function csv(...lines: string[]): string {
  const path = join(fixture.dir, 'rates.csv');
  writeFileSync(path, ['Prefix,Rate', ...lines].join('\n'));
  return path;
}
const setEntry = (id: number, options: string) =>
  clarionJson(entryView, `deck entry set ${on(id)} ${options}`);
const exported = async (id: number) => {
  const path = join(fixture.dir, 'out.csv');
  await clarion(`deck export ${on(id)} --file ${path}`);
  return readFileSync(path, 'utf8')
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',').slice(1, 3).join(' '));
};

test('a deck is created, listed for its account only, and deleted', async () => {
  const id = await deck('--currency eur');
  expect(await clarionJson(z.array(deckView), 'deck list --slug acme')).toMatchObject([
    { id, kind: 'BUY', currency: 'EUR' },
  ]);
  expect(await clarionJson(z.array(deckView), 'deck list --slug rival')).toEqual([]);
  await expect(clarion(`deck delete --slug rival --id ${id}`)).rejects.toMatchObject({ code: 'not_found' });
  await clarion(`deck delete ${on(id)}`);
  await expect(clarion(`deck delete ${on(id)}`)).rejects.toMatchObject({ code: 'not_found' });
  await expect(deck('--currency QQQ')).rejects.toMatchObject({ details: { field: 'currency' } });
});

test('a file is imported, after a dry run that changes nothing, and exported again', async () => {
  const id = await deck();
  const file = csv('44,0.01', '4420,0.02');
  const dry = await clarionJson(
    z.looseObject({ preview: importView.nullable() }),
    `deck import ${on(id)} --file ${file} --dry-run`,
  );
  expect(dry.preview).toMatchObject({ added: 2 });
  expect(await exported(id)).toEqual([]);
  expect(await clarionJson(importView, `deck import ${on(id)} --file ${file}`)).toMatchObject({
    added: 2,
    fileName: 'rates.csv',
  });
  expect(await exported(id)).toEqual(['44 0.01', '4420 0.02']);
  const changes = csv('44,0.03');
  const options = `deck import ${on(id)} --file ${changes} --mode CHANGES`;
  expect(await clarionJson(importView, options)).toMatchObject({ changed: 1, ended: 0 });
  expect(await exported(id)).toEqual(['44 0.03', '4420 0.02']);
  expect(await clarionJson(importView, `deck import ${on(id)} --file ${changes}`)).toMatchObject({
    ended: 1,
  });
  await expect(clarion(`deck import ${on(id)} --file ${csv()}`)).rejects.toMatchObject({
    details: { field: 'csv' },
  });
  await expect(clarion(`deck import ${on(id)} --file ${file} --mode SOME`)).rejects.toBeInstanceOf(
    CommanderError,
  );
});

test('a price is set, changed in part and ended by its prefix', async () => {
  const id = await deck();
  expect(await setEntry(id, '--prefix +44 --rate 0.010 --increment-seconds 1')).toMatchObject({
    prefix: '44',
    rate: '0.01',
    incrementSeconds: 1,
  });
  await setEntry(id, '--prefix 4420 --rate 0.5');
  expect(await setEntry(id, '--prefix 44 --rate 0.02')).toMatchObject({ rate: '0.02', incrementSeconds: 1 });
  expect(await exported(id)).toEqual(['44 0.02', '4420 0.5']);
  await clarion(`deck entry delete ${on(id)} --prefix 44`);
  expect(await exported(id)).toEqual(['4420 0.5']);
  await expect(clarion(`deck entry delete ${on(id)} --prefix 44`)).rejects.toMatchObject({
    code: 'not_found',
  });
  for (const [options, field] of [
    ['--prefix 33', 'rate'],
    ['--prefix 33 --rate -1', 'rate'],
    ['--prefix 3x --rate 1', 'prefix'],
    ['--prefix 4420 --initial-seconds 0', 'initial_seconds'],
  ] as const) {
    await expect(setEntry(id, options), options).rejects.toMatchObject({ details: { field } });
  }
  const entries = await withOperator(fixture.env, ({ db }) =>
    db.auditEntry.findMany({ where: { target: String(id), action: { startsWith: 'rate_' } } }),
  );
  expect(entries.map(({ action }) => action).toSorted()).toEqual([
    'rate_deck.create',
    'rate_entry.create',
    'rate_entry.create',
    'rate_entry.delete',
    'rate_entry.put',
  ]);
  for (const { actorKind, surface } of entries) expect([actorKind, surface]).toEqual(['operator', 'cli']);
});

test('without a slug, decks are those of the operator, for its price plans', async () => {
  const create = (options: string) => clarionJson(deckView, `deck create --name Wholesale ${options}`);
  const { id } = await create('--currency EUR');
  expect((await clarionJson(z.array(deckView), 'deck list')).map((each) => each.id)).toEqual([id]);
  await expect(clarion(`deck delete ${on(id)}`)).rejects.toMatchObject({ code: 'not_found' });
  await clarion(`deck import --id ${id} --file ${csv('44,0.01')}`);
  await clarion(`deck entry set --id ${id} --prefix 33 --rate 0.02`);
  const theirs = await deck('--currency EUR');
  await expect(clarion(`deck entry set --id ${theirs} --prefix 33 --rate 0.02`)).rejects.toMatchObject({
    code: 'not_found',
  });

  const planWith = (deckId: number, currency: string) => {
    const item = JSON.stringify({ kind: 'CALL', method: 'DECK', deck_id: deckId });
    const options = ['--name', 'Wholesale', '--currency', currency, '--item', item];
    return clarionJson(z.looseObject({ id: z.number() }), ['price-plan', 'create', ...options]);
  };
  for (const [deckId, currency] of [
    [theirs, 'EUR'],
    [id, 'USD'],
  ] as const) {
    await expect(planWith(deckId, currency)).rejects.toMatchObject({
      details: { field: 'items[0].deck_id' },
    });
  }
  const plan = await planWith(id, 'EUR');
  await expect(clarion(`deck delete --id ${id}`)).rejects.toMatchObject({
    code: 'in_use',
    details: { usedBy: [`pricePlan:${plan.id}`] },
  });
  await clarion(`price-plan delete --id ${plan.id}`);
  await clarion(`deck delete --id ${id}`);
  const entries = await withOperator(fixture.env, ({ db }) =>
    db.auditEntry.findMany({
      where: { target: String(id), consumerId: null, action: { startsWith: 'rate_' } },
      orderBy: { id: 'asc' },
    }),
  );
  expect(entries.map(({ action, actorKind }) => `${action} ${actorKind}`)).toEqual([
    'rate_deck.create operator',
    'rate_deck.import operator',
    'rate_entry.create operator',
    'rate_deck.delete operator',
  ]);
});
