import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { ApiError } from '@clarion/protocol';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { demo } from '@clarion/core/demo-account';
import { graphLineOf } from '@clarion/core/whatsapp/graph-line';
import { openOperatorFixture } from './__fixtures__/operator-fixture.ts';
import type { OperatorFixture } from './__fixtures__/operator-fixture.ts';
import { seedDemo } from './demo-account/make-demo.ts';
import type { CliEnv } from './env.ts';
import { withOperator } from './operator-context.ts';
import { commandsOf } from './__fixtures__/run-command.ts';
import type { Commands } from './__fixtures__/run-command.ts';

let fixture: OperatorFixture;
let env: CliEnv;
let clarion: Commands['clarion'];
let clarionJson: Commands['clarionJson'];
beforeAll(async () => {
  fixture = await openOperatorFixture();
  ({ env } = fixture);
  ({ clarion, clarionJson } = commandsOf(env));
});
afterAll(() => fixture.end());

const consumerView = z.looseObject({
  slug: z.string(),
  status: z.string(),
  selfService: z.string(),
  recordingEnabled: z.boolean(),
  plan: z.object({
    callsAtOnce: z.number(),
    outboundPerMinute: z.number(),
    countries: z.array(z.string()),
    audioAssets: z.number(),
    audioMegabytes: z.number(),
    trunks: z.number(),
    maxRate: z.string().nullable(),
    blockedPrefixes: z.array(z.string()),
    pricePlanId: z.number().nullable(),
  }),
});
const trunkView = z.looseObject({
  id: z.number(),
  status: z.string(),
  owner: z.string(),
  ingressHost: z.string().nullable(),
});

test('creating an account creates its first keys and prints them once', async () => {
  const created = await clarionJson(
    z.strictObject({
      consumer: consumerView,
      apiKey: z.string().regex(/^ck_acme_[\w-]{43}$/),
      signingKey: z.strictObject({ kid: z.string(), secret: z.string().min(40) }),
      webhookSecret: z.null(),
      addresses: z.strictObject({ baseUrl: z.string(), dashboard: z.string() }),
      platformTrunks: z.array(z.unknown()),
    }),
    'consumer create --slug acme --name Acme',
  );
  expect(created.consumer).toMatchObject({
    slug: 'acme',
    status: 'ACTIVE',
    plan: {
      callsAtOnce: 100,
      outboundPerMinute: 600,
      countries: [],
      audioAssets: 500,
      audioMegabytes: 2000,
      trunks: 20,
      maxRate: null,
      blockedPrefixes: [],
      pricePlanId: null,
    },
  });
  const hooked = await clarion(
    'consumer create --slug hooked --name Hooked --webhook-url https://x.example/h --json',
  );
  expect(hooked).toMatch(/"webhookSecret": "whsec_/);
  await expect(clarion('consumer create --slug acme --name Twin')).rejects.toMatchObject({ code: 'exists' });
  await expect(clarion('consumer create --slug Bad_Slug --name Bad')).rejects.toMatchObject({
    details: { field: 'slug' },
  });
  await expect(clarion('consumer create --slug nameless')).rejects.toBeInstanceOf(CommanderError);
});

test('an account can be changed, suspended and resumed, and every change is in the audit log', async () => {
  expect(
    await clarionJson(consumerView, 'consumer set --slug acme --self-service AUTO --recording on'),
  ).toMatchObject({
    selfService: 'AUTO',
    recordingEnabled: true,
  });
  expect((await clarionJson(consumerView, 'consumer suspend --slug acme')).status).toBe('SUSPENDED');
  expect((await clarionJson(consumerView, 'consumer resume --slug acme')).status).toBe('ACTIVE');
  await expect(clarion('consumer suspend --slug nobody')).rejects.toMatchObject({ code: 'not_found' });
  const entries = await withOperator(env, ({ db }) =>
    db.auditEntry.findMany({ where: { actorKind: 'operator' } }),
  );
  expect(entries.filter(({ action }) => action === 'consumer.set')).toHaveLength(3);
  expect(JSON.stringify(entries.map(({ details }) => details))).not.toMatch(/ck_acme_[\w-]{43}/);
});

test('setting a plan keeps omitted limits and rejects unknown countries', async () => {
  const { plan } = await clarionJson(
    consumerView,
    'plan set --slug acme --calls-at-once 5 --countries gb,US',
  );
  const changed = {
    callsAtOnce: 5,
    outboundPerMinute: 600,
    audioAssets: 500,
    audioMegabytes: 2000,
    trunks: 20,
    maxRate: null,
    blockedPrefixes: [],
    pricePlanId: null,
  };
  expect(plan).toEqual({ ...changed, countries: ['GB', 'US'] });
  expect((await clarionJson(consumerView, 'plan set --slug acme --countries all')).plan).toEqual({
    ...changed,
    countries: [],
  });
  const audio = 'plan set --slug acme --audio-assets 1000 --audio-megabytes 5000';
  expect((await clarionJson(consumerView, audio)).plan).toEqual({
    ...changed,
    countries: [],
    audioAssets: 1000,
    audioMegabytes: 5000,
  });
  expect((await clarionJson(consumerView, 'plan set --slug acme --trunks 3')).plan.trunks).toBe(3);
  await clarion('plan set --slug acme --trunks 20');
  await expect(clarion('plan set --slug acme --countries XX')).rejects.toBeInstanceOf(ApiError);
  await expect(clarion('plan set --slug acme --calls-at-once many')).rejects.toBeInstanceOf(CommanderError);
});

test('setting a plan sets and clears the maximum price, blocked prefixes and the price plan', async () => {
  const pricePlan = await withOperator(env, ({ db }) =>
    db.pricePlan.create({ data: { name: 'Wholesale', currency: 'USD' } }),
  );
  const set = async (options: string) =>
    (await clarionJson(consumerView, `plan set --slug acme ${options}`)).plan;
  expect(
    await set(`--max-rate 0.50 --blocked-prefixes 882,+1900,882 --price-plan ${pricePlan.id}`),
  ).toMatchObject({ maxRate: '0.5', blockedPrefixes: ['882', '1900'], pricePlanId: pricePlan.id });
  expect(await set('--trunks 20')).toMatchObject({ maxRate: '0.5', pricePlanId: pricePlan.id });
  expect(await set('--max-rate 0')).toMatchObject({ maxRate: '0', blockedPrefixes: ['882', '1900'] });
  expect(await set('--max-rate none --blocked-prefixes none --price-plan none')).toMatchObject({
    maxRate: null,
    blockedPrefixes: [],
    pricePlanId: null,
  });
  const account = await withOperator(env, async ({ db }) => {
    const { id: consumerId } = await db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
    return db.pricePlan.create({ data: { name: 'Retail', currency: 'USD', consumerId } });
  });
  for (const [options, field] of [
    ['--max-rate -1', 'max_rate'],
    ['--max-rate cheap', 'max_rate'],
    ['--max-rate 0.0000001', 'max_rate'],
    ['--blocked-prefixes 882,x', 'blocked_prefixes'],
    ['--blocked-prefixes 882,', 'blocked_prefixes'],
    ['--blocked-prefixes 1234567890123456', 'blocked_prefixes'],
    ['--price-plan 999999', 'price_plan'],
    [`--price-plan ${account.id}`, 'price_plan'],
  ] as const) {
    await expect(set(options), options).rejects.toMatchObject({ details: { field } });
  }
  await expect(set('--price-plan all')).rejects.toBeInstanceOf(CommanderError);
});

test('keys can be created and revoked, except the last one', async () => {
  const made = await clarionJson(
    z.object({ apiKey: z.object({ id: z.number(), expiresAt: z.string().nullable() }), secret: z.string() }),
    'key create --slug acme --name ci --expires-in-days 7',
  );
  expect(made.apiKey.expiresAt).not.toBeNull();
  await clarion(`key revoke --slug acme --id ${made.apiKey.id}`);
  await expect(clarion(`key revoke --slug acme --id ${made.apiKey.id}`)).rejects.toMatchObject({
    code: 'not_found',
  });
  const first = await withOperator(env, ({ db }) =>
    db.apiKey.findFirstOrThrow({ where: { consumer: { slug: 'acme' }, revokedAt: null } }),
  );
  await expect(clarion(`key revoke --slug acme --id ${first.id}`)).rejects.toMatchObject({
    code: 'last_key',
  });
  await clarion('signing-key create --slug acme --kid mine');
  await expect(clarion('signing-key create --slug acme --kid mine')).rejects.toMatchObject({
    code: 'kid_taken',
  });
});

test('a trunk changes its status only as allowed, and its password is encrypted', async () => {
  const make = 'trunk create --slug acme --name carrier --host sip.carrier.example --country-code 44';
  const trunk = await clarionJson(trunkView, `${make} --username u --password-stdin`, 'hunter2\n');
  expect(trunk).toMatchObject({
    status: 'DRAFT',
    owner: 'CONSUMER',
    ingressHost: 'acme-carrier.sip.example.com',
  });
  const stored = await withOperator(env, async ({ db, secrets }) => {
    const { passwordSealed } = await db.sipTrunk.findUniqueOrThrow({ where: { id: trunk.id } });
    return secrets.open('trunk-password', passwordSealed ?? '');
  });
  expect(stored).toBe('hunter2');
  await expect(clarion(make)).rejects.toMatchObject({ code: 'exists', details: { field: 'name' } });
  await expect(clarion(`trunk approve --id ${trunk.id}`)).rejects.toMatchObject({ code: 'no_addresses' });
  await expect(clarion(`trunk create --name bad --host h --source 1.2.3`)).rejects.toMatchObject({
    details: { field: 'inbound_source_cidrs' },
  });

  const platform = await clarionJson(
    trunkView,
    'trunk create --name main --host 203.0.113.9 --source 203.0.113.0/24 198.51.100.7 --active',
  );
  expect(platform).toMatchObject({
    status: 'ACTIVE',
    owner: 'PLATFORM',
    ingressHost: 'main.sip.example.com',
  });
  const move = async (verb: string) =>
    (await clarionJson(trunkView, `trunk ${verb} --id ${platform.id} --note because`)).status;
  await expect(move('reject')).rejects.toMatchObject({ code: 'invalid_state' });
  await expect(move('lift')).rejects.toMatchObject({ code: 'invalid_state' });
  expect(await move('suspend')).toBe('SUSPENDED');
  await expect(move('approve')).rejects.toMatchObject({ code: 'invalid_state' });
  expect(await move('lift')).toBe('DISABLED');
  expect(await move('approve')).toBe('ACTIVE');
  expect(await clarion('trunk list')).toContain('name: main');
});

test('a trunk that takes over the addresses of a suspended one is printed with a warning', async () => {
  const create = (options: string) =>
    clarionJson(
      trunkView.extend({ warning: z.string().optional() }),
      `trunk create --host sip.carrier.example --source 198.51.100.64/28 --active ${options}`,
    );
  const first = await create('--name shared');
  expect(first).not.toHaveProperty('warning');
  await clarion(`trunk suspend --id ${first.id}`);
  expect((await create('--slug acme --name shared')).warning).toContain(`${first.id} (shared, SUSPENDED)`);
  expect(await clarion(`trunk lift --id ${first.id}`)).toContain('warning: Active trunks of other owners');
});

test('status counts processes and pending work', async () => {
  const status = z.looseObject({ consumers: z.object({ active: z.number(), suspended: z.number() }) });
  expect((await clarionJson(status, 'status')).consumers.active).toBe(2);
  expect(await clarion('status')).toContain('calls.live: 0');
});

test('running processes are listed with their state, and those that have been silent are not', async () => {
  const now = Date.now();
  const seenAt = new Date(now);
  const silent = new Date(now - 60_000);
  await withOperator(env, async ({ db }) => {
    await db.mediaNode.createMany({
      data: [
        { id: 'media-b', seenAt, legs: 4, capacity: 500, draining: true },
        { id: 'media-a', seenAt, legs: 0, capacity: 500 },
        { id: 'media-gone', seenAt: silent },
      ],
    });
    await db.realtimeNode.createMany({
      data: [
        { id: 'realtime-a', heartbeatAt: seenAt, overloadedUntil: silent },
        { id: 'realtime-b', heartbeatAt: seenAt, overloadedUntil: new Date(now + 60_000) },
      ],
    });
    await db.workerNode.create({ data: { id: 'worker-a', heartbeatAt: seenAt } });
  });
  const listed = z.array(z.looseObject({ kind: z.string(), id: z.string() }));
  expect(await clarionJson(listed, 'node list')).toMatchObject([
    { kind: 'media', id: 'media-a', state: 'ok', legs: 0, capacity: 500 },
    { kind: 'media', id: 'media-b', state: 'draining', legs: 4, seenAt: seenAt.toISOString() },
    { kind: 'realtime', id: 'realtime-a', state: 'ok', legs: null },
    { kind: 'realtime', id: 'realtime-b', state: 'overloaded' },
    { kind: 'worker', id: 'worker-a', state: 'ok' },
  ]);
  const counted = z.looseObject({
    nodes: z.object({ media: z.number(), realtime: z.number(), worker: z.number() }),
  });
  expect((await clarionJson(counted, 'status')).nodes).toEqual({ media: 2, realtime: 2, worker: 1 });
});

test('failed facts are listed, the newest first', async () => {
  await withOperator(env, ({ db }) =>
    db.failedFact.createMany({
      data: ['a', 'b'].map((factId) => ({
        factId,
        at: new Date(),
        mediaNodeId: 'media-1',
        realtimeNodeId: 'realtime-1',
        fact: 'leg:ended',
        callId: 7,
        legId: 'leg',
        error: 'no luck',
        outcome: 'CALL_ENDED',
      })),
    }),
  );
  const listed = z.array(z.looseObject({ factId: z.string(), callId: z.number(), outcome: z.string() }));
  expect(await clarionJson(listed, 'failed-facts list')).toMatchObject([
    { factId: 'b', callId: 7, error: 'no luck', outcome: 'CALL_ENDED' },
    { factId: 'a' },
  ]);
  expect(await clarionJson(listed, 'failed-facts list --limit 1')).toHaveLength(1);
  expect(await clarion('status')).toContain('failedFactsLastHour: 2');
});

test('the demo account is created once, and missing parts are created again', async () => {
  const seed = () => withOperator(env, (ctx) => seedDemo(ctx, env));
  const first = await seed();
  expect(first).toMatchObject({ tenantRef: 'demo', number: '+442071838750', agents: ['ada', 'ben'] });
  expect(statSync(env.demoFile).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(env.demoFile, 'utf8'))).toEqual(first);
  await withOperator(env, ({ db }) => db.queueMember.deleteMany({}));
  chmodSync(env.demoFile, 0o644); // as restored from a backup
  expect(await seed()).toEqual(first);
  expect(statSync(env.demoFile).mode & 0o777).toBe(0o600);
  await withOperator(env, async ({ db }) => {
    expect(await db.queueMember.count()).toBe(0);
    expect(await db.channel.count({ where: { tenant: { consumer: { slug: 'demo' } } } })).toBe(3);
    expect(await db.sipTrunk.findFirst({ where: { ingressLabel: 'demo' } })).toMatchObject({
      status: 'ACTIVE',
      host: '127.0.0.1',
      port: 5091,
      consumerId: null,
    });
  });
});

test('a demo account that an earlier release created gets its WhatsApp line, for calls of the simulator', async () => {
  const lines = () =>
    withOperator(env, ({ db }) =>
      db.channel.findMany({ where: { type: 'WHATSAPP' }, include: { inboundQueue: true } }),
    );
  await withOperator(env, async ({ db }) => db.channel.deleteMany({ where: { type: 'WHATSAPP' } }));
  await withOperator(env, (ctx) => seedDemo(ctx, { ...env, metaSimulator: false }));
  expect(await lines()).toEqual([]);
  await withOperator(env, (ctx) => seedDemo(ctx, env));
  await withOperator(env, (ctx) => seedDemo(ctx, env));
  const [line, ...others] = await lines();
  expect(others).toEqual([]);
  expect(line).toMatchObject({
    displayName: 'WhatsApp support',
    providerAccountId: demo.whatsapp.phoneNumberId,
    inboundQueue: { ref: 'support' },
    status: 'ACTIVE',
  });
  const sent = await withOperator(env, async ({ secrets }) => line && graphLineOf(secrets, line));
  expect(sent).toEqual({
    phoneNumberId: demo.whatsapp.phoneNumberId,
    accessToken: demo.whatsapp.accessToken,
  });
});

test('a demo file that is invalid or belongs to another database gets new keys', async () => {
  const seed = () => withOperator(env, (ctx) => seedDemo(ctx, env));
  const { apiKey } = await seed();
  writeFileSync(env.demoFile, 'not json');
  const second = await seed();
  expect(second.apiKey).not.toBe(apiKey);
  writeFileSync(env.demoFile, JSON.stringify({ ...second, apiKey: `ck_demo_${'x'.repeat(43)}` }));
  expect((await seed()).apiKey).not.toBe(second.apiKey);
});
