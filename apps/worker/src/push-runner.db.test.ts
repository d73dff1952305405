/** Push notifications from the database to the providers' simulator: the runner in this process, and workers that are killed. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEgress } from '@clarion/core/egress/guard';
import { createPushSender } from '@clarion/core/push/send/push-sender';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createPool } from '@clarion/db';
import type { Database, PushNotification } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { endProcess, startWorkerProcess } from '@clarion/testkit/load/delivery-load';
import { createPushScene, writePushes } from '@clarion/testkit/load/push-load';
import type { PushScene } from '@clarion/testkit/load/push-load';
import { PushDevices } from '@clarion/testkit/peers/push-devices';
import { pino } from 'pino';
import { Counter, Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startPushRunner } from './push-runner.ts';
import type { Run } from './supervise.ts';

const masterKey = Buffer.alloc(32, 9).toString('base64');
const secrets = createSecretBox([masterKey]);
const now = () => new Date();

let devices: PushDevices;
let database: TestDatabase;
let db: Database;
let ends: (() => Promise<unknown>)[];

beforeAll(async () => {
  devices = await PushDevices.start();
  database = await createTestDatabase();
  db = database.connect();
});
afterAll(async () => {
  await devices.close();
  await database.drop();
});
beforeEach(() => {
  ends = [];
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
  devices.simulator.reset();
  await db.pushNotification.deleteMany();
});

async function startRunner(): Promise<{ run: Run; metrics: Registry }> {
  const sql = createPool(database.url, { connections: 3, onError: () => undefined });
  const egress = createEgress({ allowPrivate: true });
  const sender = createPushSender({ egress, urls: devices.simulator.urls, allowPrivate: true, now });
  const metrics = new Registry();
  const pushes = new Counter({
    name: 'clarion_pushes_total',
    help: 'h',
    labelNames: ['provider', 'outcome'],
    registers: [metrics],
  });
  const log = pino({ level: 'silent' });
  const run = await startPushRunner(database.url, { sql, sender, secrets, pushes, log, now });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await run.stop();
    await sender.close();
    await egress.close();
    await sql.end();
  };
  ends.push(stop);
  return { run: { ...run, stop }, metrics };
}

async function startWorker(): Promise<ChildProcess> {
  const { child } = await startWorkerProcess({ databaseUrl: database.url, masterKey, env: devices.env });
  ends.push(() => endProcess(child, 'SIGKILL'));
  return child;
}

/** Android phones with FCM, which the call rings. */
async function ringing(phones: number): Promise<{ scene: PushScene; tokens: string[] }> {
  const { service_account: account } = devices.credentials.fcm;
  const tokens = Array.from({ length: phones }, () => devices.simulator.fcm.addDevice(account.project_id));
  const route = {
    platform: 'ANDROID',
    provider: 'FCM',
    credentials: {
      provider: 'fcm',
      settings: {
        projectId: account.project_id,
        clientEmail: account.client_email,
        tokenUri: account.token_uri,
      },
      secret: account.private_key,
    },
    tokenOf: (index: number) => tokens[index] ?? '',
  } as const;
  return { scene: await createPushScene(db, secrets, route, phones), tokens };
}

const received = (tokens: readonly string[], count = 1) =>
  Promise.all(tokens.map((token) => devices.simulator.received(token, count, 10_000)));
const rows = () => db.pushNotification.findMany({ orderBy: { id: 'asc' } });

/** Polls for what is visible only in the database. */
async function untilRows(what: string, isSo: (row: PushNotification) => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const all = await rows();
    if (all.length > 0 && all.every(isSo)) return;
    if (performance.now() > deadline)
      throw new Error(`not ${what}: ${all.map(({ status }) => status).join()}`);
    await sleep(20);
  }
}
const untilAll = (status: PushNotification['status']) => untilRows(status, (row) => row.status === status);

test('two workers wake a hundred phones of one offer quickly, each once', async () => {
  const runners = [await startRunner(), await startRunner()];
  const { scene, tokens } = await ringing(100);
  const startedAt = performance.now();
  await writePushes(db, scene);
  const inboxes = await received(tokens);
  expect(performance.now() - startedAt).toBeLessThan(5_000); // on a busy machine
  await untilAll('SENT');
  expect(inboxes[0]?.[0]?.data).toMatchObject({
    type: 'call.incoming',
    callId: String(scene.callId),
    agentRef: 'agent-0',
    callerAddress: '+442071838750',
  });
  expect(tokens.map((token) => devices.simulator.inbox(token).length)).toEqual(tokens.map(() => 1));
  await Promise.all(runners.map(({ run }) => run.stop()));
  const counted = await Promise.all(runners.map(({ metrics }) => metrics.getMetricsAsJSON()));
  const values = counted.flat().flatMap((metric) => metric.values);
  expect(values.reduce((sum, { value }) => sum + Number(value), 0)).toBe(100);
});

test('a push is repeated while the provider is busy, within the ring only', async () => {
  await startRunner();
  const { scene, tokens } = await ringing(2);
  const busy = {
    kind: 'respond',
    status: 503,
    body: { error: { code: 503, status: 'UNAVAILABLE' } },
  } as const;
  const [first = '', second = ''] = tokens;
  devices.simulator.fcm.faults.add({ effect: busy, token: first, times: 1 });
  devices.simulator.fcm.faults.add({ effect: busy, token: second, times: 9 });
  await writePushes(db, scene, { ringMs: 1_400 });
  await received([first]);
  await untilRows('finished', ({ finishedAt }) => finishedAt !== null);
  expect((await rows()).map(({ status, attempts }) => [status, attempts])).toEqual([
    ['SENT', 2],
    ['EXPIRED', 2],
  ]);
  expect(devices.simulator.inbox(second)).toEqual([]);
});

test('a phone whose app was removed counts no longer, and counts again when the app registers', async () => {
  await startRunner();
  const { scene, tokens } = await ringing(1);
  const [device] = scene.devices;
  const agent = () => db.agent.findUniqueOrThrow({ where: { id: device?.agentId ?? 0 } });
  devices.simulator.fcm.setRegistered(tokens[0] ?? '', false);
  await writePushes(db, scene);
  await untilAll('REJECTED');
  while ((await agent()).wakeable) await sleep(10);
  await db.pushToken.updateMany({ where: { id: device?.tokenId ?? 0 }, data: { rejectedAt: null } });
  expect((await agent()).wakeable).toBe(true);
});

test('a worker that stops sends what it has begun and leaves the rest', async () => {
  const { run } = await startRunner();
  const { scene, tokens } = await ringing(1);
  devices.simulator.fcm.faults.add({ effect: { kind: 'delay', ms: 500 } });
  await writePushes(db, scene);
  await untilAll('SENDING');
  await run.stop();
  expect((await rows()).map(({ status }) => status)).toEqual(['SENT']);
  await writePushes(db, scene);
  expect(devices.simulator.inbox(tokens[0] ?? '')).toHaveLength(1);
  await startRunner();
  await received(tokens, 2);
});

test('a worker killed before it sends leaves the push to another one, and killed while it sends, to none', async () => {
  const { scene, tokens } = await ringing(1);
  devices.simulator.oauth.faults.add({ effect: { kind: 'silence' } });
  const first = await startWorker();
  await writePushes(db, scene);
  await untilAll('CLAIMED');
  await endProcess(first, 'SIGKILL');
  await db.$executeRaw`update "PushNotification" set "claimedUntil" = now()`;
  devices.simulator.fcm.faults.add({ effect: { kind: 'silence' } });
  const second = await startWorker();
  await untilAll('SENDING');
  await endProcess(second, 'SIGKILL');
  await startRunner();
  await db.$executeRaw`update "PushNotification" set "claimedUntil" = now()`;
  await untilAll('UNKNOWN');
  expect(devices.simulator.inbox(tokens[0] ?? '')).toEqual([]);
  expect(await db.callLifecycle.count({ where: { callId: scene.callId, type: 'PUSHED' } })).toBe(1);
}, 30_000);
