/** The operator's commands on trunks and carrier templates. */
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

const view = z.looseObject({ id: z.number(), status: z.string() });
const run = (command: string | readonly string[], stdin?: string) => clarionJson(view, command, stdin);
const rowOf = (id: number) =>
  withOperator(fixture.env, ({ db }) => db.sipTrunk.findUniqueOrThrow({ where: { id } }));
const entriesOf = (id: number, noun = 'trunk') =>
  withOperator(fixture.env, async ({ db }) =>
    (
      await db.auditEntry.findMany({
        where: { target: String(id), action: { startsWith: `${noun}.` } },
        orderBy: { id: 'asc' },
      })
    ).map(({ action, consumerId }) => [action, consumerId !== null]),
  );

test('every setting of a trunk can be given', async () => {
  const prefixes = '{"inbound":[{"prefix":"77#","purpose":"process"}],"outbound":"88"}';
  const created = await run(
    [
      ...'trunk create --name full --host sip.carrier.example --port 5061 --transport TLS'.split(' '),
      ...'--source 10.0.0.0/8 198.51.100.7 --country-code 44 --national-prefix 0'.split(' '),
      ...'--codecs g722,PCMA --register --srtp --max-calls 30 --calls-per-second 5 --username u'.split(' '),
      ...'--destination sip2.carrier.example [2606:4700::1]:5070/2/20 198.41.0.9:5080'.split(' '),
      ...'--quirk called_plus from_domain=Acme.Example national_outbound --password-stdin'.split(' '),
      '--tech-prefixes',
      prefixes,
    ],
    'secret\n',
  );
  expect(created).toMatchObject({
    status: 'DRAFT',
    owner: 'PLATFORM',
    port: 5061,
    transport: 'TLS',
    inboundSourceCidrs: ['10.0.0.0/8', '198.51.100.7'],
    numberRules: { country_code: '44', national_prefix: '0' },
    codecs: ['G722', 'PCMA'],
    register: true,
    srtp: true,
    maxCalls: 30,
    callsPerSecond: 5,
    username: 'u',
    destinations: [
      { host: 'sip2.carrier.example', port: 5061, priority: 1, weight: 1 },
      { host: '2606:4700::1', port: 5070, priority: 2, weight: 20 },
      { host: '198.41.0.9', port: 5080, priority: 1, weight: 1 },
    ],
    quirks: { calledPlus: true, fromDomain: 'acme.example', nationalOutbound: true },
    techPrefixes: { inbound: [{ prefix: '77#', purpose: 'PROCESS' }], outbound: '88' },
  });
  expect(JSON.stringify(created)).not.toContain('secret');
  expect(await entriesOf(created.id)).toEqual([['trunk.create', false]]);
});

test.each([
  ['--quirk call_plus', 'quirks.call_plus'],
  ['--quirk from_domain=a@b', 'quirks.from_domain'],
  ['--quirk national_outbound', 'quirks.national_outbound'],
  ['--codecs OPUS', 'codecs'],
  ['--srtp', 'srtp'],
  ['--register', 'register'],
  ['--national-prefix 0', 'national_prefix'],
  ['--country-code 4444', 'country_code'],
  ['--max-calls many', 'max_calls'],
  ['--calls-per-second 0', 'calls_per_second'],
  ['--destination a_b', 'destinations[0].host'],
  ['--destination sip2.carrier.example:x', 'destinations[0].port'],
  ['--destination sip2.carrier.example:5060/1/0', 'destinations[0].weight'],
  ['--tech-prefixes 88', 'tech_prefixes'],
  ['--tech-prefixes {"outbound":"x"}', 'tech_prefixes.outbound'],
  ['--source carrier.example', 'inbound_source_cidrs'],
  ['--port 0', 'port'],
  ['--template-id 999', 'template_id'],
])('%s is rejected as in the API, naming %s', async (options, field) => {
  const command = `trunk create --name wrong --host sip.carrier.example ${options}`;
  await expect(clarion(command)).rejects.toMatchObject({ code: 'invalid_request', details: { field } });
});

test('a change keeps what is not given, and none removes a setting', async () => {
  const { id } = await run(
    'trunk create --slug acme --name change --host sip.carrier.example --source 198.41.0.4 --country-code 44 --national-prefix 0 --codecs PCMU --username u --password-stdin --quirk called_plus --max-calls 5 --destination sip2.carrier.example --tech-prefixes {"outbound":"8"}',
    'secret',
  );
  expect(await run(`trunk set --id ${id} --host sip3.carrier.example --register`)).toMatchObject({
    host: 'sip3.carrier.example',
    register: true,
    inboundSourceCidrs: ['198.41.0.4'],
    numberRules: { country_code: '44', national_prefix: '0' },
    codecs: ['PCMU'],
    username: 'u',
    quirks: { calledPlus: true },
    maxCalls: 5,
    techPrefixes: { outbound: '8' },
  });
  await expect(clarion(`trunk set --id ${id} --clear-credentials`)).rejects.toMatchObject({
    details: { field: 'register' },
  });
  expect(
    await run(
      `trunk set --id ${id} --no-register --clear-credentials --country-code none --codecs none --quirk none --max-calls none --destination none --tech-prefixes none --source none`,
    ),
  ).toMatchObject({
    register: false,
    numberRules: null,
    codecs: null,
    username: null,
    quirks: {},
    maxCalls: null,
    destinations: [],
    techPrefixes: null,
    inboundSourceCidrs: [],
  });
  expect((await rowOf(id)).passwordSealed).toBeNull();
  // Private sources: this is how a trunk of an account is tried on this machine.
  await run(`trunk set --id ${id} --source 127.0.0.0/8`);
  await run(`trunk approve --id ${id}`);
  await expect(clarion(`trunk set --id ${id} --source none`)).rejects.toMatchObject({ code: 'no_addresses' });
  expect((await entriesOf(id)).map(([action]) => action)).toEqual([
    'trunk.create',
    'trunk.set',
    'trunk.set',
    'trunk.set',
    'trunk.approve',
  ]);
  await expect(clarion('trunk set --id 999999 --port 5061')).rejects.toMatchObject({ code: 'not_found' });
});

test('a rejection needs a note, which the owner sees', async () => {
  const { id } = await run('trunk create --slug acme --name rejected --host h --source 198.41.0.5');
  await withOperator(fixture.env, ({ db }) =>
    db.sipTrunk.update({ where: { id }, data: { status: 'PENDING' } }),
  );
  await expect(clarion(`trunk reject --id ${id}`)).rejects.toMatchObject({ details: { field: 'note' } });
  expect(await run(`trunk reject --id ${id} --note addresses?`)).toMatchObject({
    status: 'DRAFT',
    reviewNote: 'addresses?',
  });
});

test('the list marks trunks that wait, and active ones that their owner changed', async () => {
  const { id } = await run('trunk create --slug acme --name attention --host h --source 198.41.0.6');
  const listed = z.array(z.looseObject({ id: z.number(), attention: z.string().nullable() }));
  const attention = async () =>
    (await clarionJson(listed, 'trunk list')).find((trunk) => trunk.id === id)?.attention;
  const update = (data: { status?: 'PENDING'; host?: string }) =>
    withOperator(fixture.env, ({ db }) => db.sipTrunk.update({ where: { id }, data }));
  await update({ status: 'PENDING' });
  expect(await attention()).toBe('waiting for approval');
  await run(`trunk approve --id ${id}`);
  expect(await attention()).toBeNull();
  await update({ host: 'changed.example' });
  expect(await attention()).toBe('changed after its review');
  // The operator looks at it again.
  await run(`trunk suspend --id ${id}`);
  await run(`trunk lift --id ${id}`);
  await run(`trunk approve --id ${id}`);
  expect(await attention()).toBeNull();
  await run(`trunk set --id ${id} --host h2`);
  expect(await attention()).toBeNull();
});

test('a trunk that no line uses can be deleted in every status', async () => {
  const { id } = await run('trunk create --name short-lived --host h --source 198.41.0.7 --active');
  await run(`trunk suspend --id ${id}`);
  await clarion(`trunk delete --id ${id}`);
  await expect(clarion(`trunk delete --id ${id}`)).rejects.toMatchObject({ code: 'not_found' });
  expect((await entriesOf(id)).at(-1)).toEqual(['trunk.delete', false]);
});

test('a new account is printed with the addresses and the platform trunks that it may use', async () => {
  await run('trunk create --name for-all --host h --source 198.41.0.8 --active');
  const printed = await clarion('consumer create --slug fresh --name Fresh');
  expect(printed).toContain('addresses.baseUrl: http://127.0.0.1:3000');
  expect(printed).toMatch(/platformTrunks\[\d\]\.ingressHost: for-all\.sip\.example\.com/);
});

test('templates are created, changed and deleted, and trunks are created from them', async () => {
  const template = z.looseObject({ id: z.number() });
  const created = await clarionJson(template, [
    ...'template create --name Carrier --host sip.carrier.example --transport TLS --srtp'.split(' '),
    ...'--source 198.41.7.0/28 --country-code 44 --quirk called_plus --codecs PCMU --notes'.split(' '),
    'Ask them to allow your numbers.',
  ]);
  expect(created).toMatchObject({
    name: 'Carrier',
    port: 5060,
    transport: 'TLS',
    srtp: true,
    inboundSourceCidrs: ['198.41.7.0/28'],
    numberRules: { country_code: '44' },
    quirks: { calledPlus: true },
    codecs: ['PCMU'],
    notes: 'Ask them to allow your numbers.',
  });
  await expect(clarion('template create --name Carrier --host h')).rejects.toMatchObject({
    code: 'exists',
    details: { field: 'name' },
  });
  await expect(clarion('template create --name Other')).rejects.toMatchObject({ details: { field: 'host' } });
  await expect(clarion('template create --host h')).rejects.toBeInstanceOf(CommanderError);
  const { id } = created;
  const trunk = await run(`trunk create --slug acme --name from-template --template-id ${id} --port 5062`);
  expect(trunk).toMatchObject({
    host: 'sip.carrier.example',
    port: 5062,
    srtp: true,
    quirks: { calledPlus: true },
    inboundSourceCidrs: ['198.41.7.0/28'],
    templateId: id,
    followTemplate: true,
  });
  expect(await clarionJson(template, `template set --id ${id} --source 198.41.8.0/28`)).toMatchObject({
    inboundSourceCidrs: ['198.41.8.0/28'],
    transport: 'TLS',
    followers: [{ id: trunk.id, name: 'from-template' }],
  });
  expect((await rowOf(trunk.id)).inboundSourceCidrs).toEqual(['198.41.8.0/28']);
  await expect(clarion(`template delete --id ${id}`)).rejects.toMatchObject({ code: 'in_use' });
  // Addresses of its own.
  expect(await run(`trunk set --id ${trunk.id} --source 198.41.9.9`)).toMatchObject({
    followTemplate: false,
  });
  expect(await clarion('template list')).toContain('name: Carrier');
  await clarion(`template delete --id ${id}`);
  expect(await entriesOf(id, 'template')).toEqual([
    ['template.create', false],
    ['template.set', false],
    ['template.delete', false],
  ]);
});
