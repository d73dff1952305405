/** The operator's commands on rules for tech prefixes: forwarding rules and call filters. */
import { randomUUID } from 'node:crypto';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '@clarion/db';
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

const row = z.looseObject({ id: z.number() });
const newTrunk = async (options: string) =>
  (await clarionJson(row, `trunk create ${options} --host sip.carrier.example --source 198.41.0.4`)).id;
async function waitingForLocks(db: Pick<Database, '$queryRaw'>): Promise<number> {
  const rows = await db.$queryRaw`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return z.array(z.unknown()).parse(rows).length;
}
const listed = (options = '') => clarionJson(z.array(row), `filter list ${options}`.trim());

test('filters are created, listed and deleted, and each change is in the audit log', async () => {
  const prefixes = '--tech-prefixes {"inbound":[{"prefix":"88#","purpose":"FILTER"}]}';
  const trunkId = await newTrunk(`--slug acme --name own ${prefixes}`);
  const platform = await newTrunk('--name platform');
  const created = await clarionJson(
    row,
    `filter create --trunk-id ${trunkId} --prefix 88# --caller 4477 --called 4930 --action redirect`,
  );
  expect(created).toMatchObject({
    trunkId,
    prefix: '88#',
    caller: '4477',
    called: '4930',
    action: 'REDIRECT',
    warning: null,
  });
  const any = await clarionJson(row, `filter create --trunk-id ${platform} --action REJECT`);
  expect(any).toMatchObject({ prefix: null, caller: null, called: null, action: 'REJECT' });
  expect(await listed()).toMatchObject([{ id: created.id }, { id: any.id }]);
  expect(await listed(`--trunk-id ${platform}`)).toMatchObject([{ id: any.id }]);
  await clarion(`filter delete --id ${created.id}`);
  expect(await listed(`--trunk-id ${trunkId}`)).toEqual([]);
  const entries = await withOperator(fixture.env, ({ db }) =>
    db.auditEntry.findMany({ where: { action: { startsWith: 'call_filter.' } }, orderBy: { id: 'asc' } }),
  );
  expect(entries.map(({ action, consumerId }) => [action, consumerId !== null])).toEqual([
    ['call_filter.create', true],
    ['call_filter.create', false],
    ['call_filter.delete', true],
  ]);
});

test('a filter that no call reaches has a warning', async () => {
  const without = await newTrunk('--name without-prefixes');
  expect(await clarionJson(row, `filter create --trunk-id ${without} --action reject`)).toMatchObject({
    warning: 'The trunk has no tech prefix with the purpose FILTER.',
  });
  const other = await newTrunk(
    '--name other-prefix --tech-prefixes {"inbound":[{"prefix":"7","purpose":"FILTER"},{"prefix":"8","purpose":"PROCESS"}]}',
  );
  expect(
    await clarionJson(row, `filter create --trunk-id ${other} --prefix 8 --action reject`),
  ).toMatchObject({ warning: expect.stringContaining('it has 7.') });
});

test('rules of a trunk that is being deleted are refused once it is gone', async () => {
  const target = await newTrunk('--name target');
  const trunkId = await newTrunk('--name about-to-go');
  const deleted = await withOperator(fixture.env, ({ db }) =>
    db.$transaction(async (tx) => {
      await tx.sipTrunk.delete({ where: { id: trunkId } });
      const commands = [
        `filter create --trunk-id ${trunkId} --action reject`,
        `forward create --trunk-id ${trunkId} --to-trunk-id ${target}`,
        `forward create --trunk-id ${target} --to-trunk-id ${trunkId}`,
      ];
      const outcomes = Promise.allSettled(commands.map((command) => clarion(command)));
      await expect.poll(() => waitingForLocks(db)).toBe(commands.length);
      return { outcomes };
    }),
  );
  for (const outcome of await deleted.outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
});

test('a second filter for the same calls is rejected', async () => {
  const trunkId = await newTrunk('--name twice');
  await clarion(`filter create --trunk-id ${trunkId} --called 49 --action reject`);
  await expect(
    clarion(`filter create --trunk-id ${trunkId} --called 49 --action redirect`),
  ).rejects.toMatchObject({ code: 'exists' });
});

test('deleting the trunk deletes its filters', async () => {
  const trunkId = await newTrunk('--name deleted');
  await clarion(`filter create --trunk-id ${trunkId} --action reject`);
  await clarion(`trunk delete --id ${trunkId}`);
  expect(await listed(`--trunk-id ${trunkId}`)).toEqual([]);
});

test.each([
  ['no action', '--trunk-id 1'],
  ['no trunk', '--action reject'],
  ['another action', '--trunk-id 1 --action forward'],
  ['a prefix with letters', '--trunk-id 1 --action reject --prefix x'],
  ['a caller with a plus', '--trunk-id 1 --action reject --caller +44'],
  ['a called number that is too long', `--trunk-id 1 --action reject --called ${'1'.repeat(33)}`],
])('%s is rejected', async (_, options) => {
  await expect(clarion(`filter create ${options}`)).rejects.toBeInstanceOf(CommanderError);
});

test('a trunk or filter that does not exist is 404', async () => {
  for (const command of ['filter create --trunk-id 999999 --action reject', 'filter delete --id 999999'])
    await expect(clarion(command)).rejects.toMatchObject({ code: 'not_found' });
});

test('forwarding rules are created, listed and deleted, and each change is in the audit log', async () => {
  const prefixes = '--tech-prefixes {"inbound":[{"prefix":"99#","purpose":"FORWARD"}]}';
  const trunkId = await newTrunk(`--slug acme --name from ${prefixes}`);
  const toTrunkId = await newTrunk('--name to --active');
  const create = `forward create --trunk-id ${trunkId} --to-trunk-id ${toTrunkId}`;
  const created = await clarionJson(row, `${create} --prefix 99# --called 4930 --to-number +442079460001`);
  const rule = { trunkId, toTrunkId, prefix: '99#', called: '4930', toNumber: '+442079460001' };
  expect(created).toMatchObject({ ...rule, warning: null });
  await expect(clarion(`${create} --prefix 99# --called 4930`)).rejects.toMatchObject({ code: 'exists' });
  await clarion(`trunk suspend --id ${toTrunkId}`);
  expect(await clarionJson(z.array(row), `forward list --trunk-id ${trunkId}`)).toMatchObject([
    { ...rule, warning: `The trunk ${toTrunkId} is SUSPENDED.` },
  ]);
  await clarion(`forward delete --id ${created.id}`);
  expect(await clarionJson(z.array(row), 'forward list')).toEqual([]);
  const entries = await withOperator(fixture.env, ({ db }) =>
    db.auditEntry.findMany({ where: { action: { startsWith: 'forwarding_rule.' } }, orderBy: { id: 'asc' } }),
  );
  expect(entries.map(({ action, consumerId }) => [action, consumerId !== null])).toEqual([
    ['forwarding_rule.create', true],
    ['forwarding_rule.delete', true],
  ]);
});

test.each([
  ['no trunk to forward to', '--trunk-id 1'],
  ['a number without a plus', '--trunk-id 1 --to-trunk-id 1 --to-number 442079460001'],
])('a forwarding rule with %s is rejected', async (_, options) => {
  await expect(clarion(`forward create ${options}`)).rejects.toBeInstanceOf(CommanderError);
});

test('forwarded calls are listed by trunk, the latest first', async () => {
  const [trunkId, toTrunkId] = [await newTrunk('--name caller'), await newTrunk('--name called')];
  const startedAt = new Date('2026-11-28T10:00:00Z');
  await withOperator(fixture.env, async ({ db }) => {
    for (const called of ['1', '2']) {
      await db.forwardedCall.create({
        data: {
          ...{ inviteId: randomUUID(), trunkId, toTrunkId, caller: '+447700900123', called, startedAt },
          ...{ mediaNodeId: 'm', inLegId: 'in', outLegId: 'out' },
        },
      });
    }
  });
  const of = (id: number) => clarionJson(z.array(row), `forward calls --trunk-id ${id}`);
  expect(await of(trunkId)).toMatchObject([{ called: '2' }, { called: '1', state: 'RINGING' }]);
  expect(await of(toTrunkId)).toHaveLength(2);
  expect(await of(999_999)).toEqual([]);
  expect(await clarionJson(z.array(row), 'forward calls --limit 1')).toMatchObject([
    { called: '2', startedAt: startedAt.toISOString(), endedAt: null },
  ]);
});
