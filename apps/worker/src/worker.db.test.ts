/** The real worker process with real endpoints: start, fairness, kill, clean shutdown. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newWebhookSecret } from '@clarion/core/event/signature';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase } from '@clarion/db';
import { applyMigrations } from '@clarion/db/migrate';
import { IN_STATUS } from '@clarion/core/event/event-status';
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import { endProcess, recordEvents, startWorkerProcess } from '@clarion/testkit/load/delivery-load';
import type { WorkerProcess } from '@clarion/testkit/load/delivery-load';
import { startWebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import type { WebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import { expect, test as base } from 'vitest';
import { preparePostgres } from '@clarion/devkit/postgres/cluster';
import { runPostgres } from '@clarion/devkit/postgres/server';

/** Jobs of a dead run are unlocked within 30 s; the rest allows for a slow machine. */
const RECOVERY_MS = 40_000;

const masterKey = Buffer.alloc(32, 9).toString('base64');
const secrets = createSecretBox([masterKey]);
const secret = newWebhookSecret();

/** Workers and consumers on one database, which `close` ends. */
class Scene {
  readonly db: Database;
  readonly #databaseUrl: string;
  readonly #children: ChildProcess[] = [];
  readonly #receivers: WebhookReceiver[] = [];

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
    this.db = createDatabase(databaseUrl, { connections: 5 });
  }

  async startWorker(): Promise<WorkerProcess> {
    const worker = await startWorkerProcess({ databaseUrl: this.#databaseUrl, masterKey });
    this.#children.push(worker.child);
    return worker;
  }

  async startConsumer(): Promise<{ id: number; receiver: WebhookReceiver }> {
    const receiver = await startWebhookReceiver({ secrets: [secret] });
    this.#receivers.push(receiver);
    const sealed = secrets.seal('webhook-secret', secret);
    const { id } = await this.db.consumer.create({
      data: { slug: randomUUID(), name: 'c', webhookUrl: receiver.url, webhookSecretSealed: sealed },
    });
    return { id, receiver };
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => endProcess(child, 'SIGKILL')));
    await Promise.all(this.#receivers.map((receiver) => receiver.close()));
    await this.db.$disconnect();
  }
}

/** The tests run concurrently, each with a database of its own: most of their time is waiting for a retry or for the jobs of a killed worker. */
const test = base.extend<{ scene: Scene }>({
  scene: async ({ onTestFinished }, use) => {
    const database = await createTestDatabase();
    const scene = new Scene(database.url);
    onTestFinished(async () => {
      await scene.close();
      await database.drop();
    });
    await use(scene);
  },
});

const arrived = (receiver: WebhookReceiver) =>
  new Set(receiver.deliveries.map(({ event }) => event.event_id));

/** Polls until `look` is true, for changes that are visible only in the database. */
async function until(look: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const withStatus = (db: Database, status: 'PENDING' | 'DELIVERED') =>
  db.event.count({ where: IN_STATUS[status] });
const get = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
};

test.concurrent('a start with a healthy database logs no warning', async ({ scene }) => {
  const { warnings } = await scene.startWorker();
  expect(warnings).toEqual([]);
});

test.concurrent(
  'delivers recorded events, retries after 5 s, and reports its health',
  async ({ scene }) => {
    const { origin, child } = await scene.startWorker();
    const { id, receiver } = await scene.startConsumer();
    receiver.answer(200, [500]);
    const [eventId] = await recordEvents(scene.db, id, 1);
    const [first, second] = await receiver.waitForCount(2, 20_000);
    expect(second?.body).toBe(first?.body);
    expect(second?.event.event_id).toBe(eventId);
    expect(receiver.deliveries.every(({ signatureValid }) => signatureValid)).toBe(true);
    const waited = (second?.receivedAt.getTime() ?? 0) - (first?.receivedAt.getTime() ?? 0);
    expect(waited).toBeGreaterThanOrEqual(4_900);
    expect(waited).toBeLessThan(12_000); // on a busy machine
    await until(async () => (await withStatus(scene.db, 'DELIVERED')) === 1, 2_000);

    expect(await get(`${origin}/healthz`)).toMatchObject({ status: 200 });
    expect(JSON.parse((await get(`${origin}/readyz`)).text)).toEqual({
      status: 'ok',
      checks: { database: 'ok', jobQueue: 'ok' },
    });
    expect((await get(`${origin}/metrics`)).text).toContain(
      'clarion_event_deliveries_total{outcome="delivered"} 1',
    );
    expect((await get(`${origin}/elsewhere`)).status).toBe(404);
    expect(await endProcess(child, 'SIGTERM')).toBe(0);
    expect(await scene.db.workerNode.count()).toBe(0);
  },
  30_000,
);

test.concurrent(
  'an event that was not announced is delivered once',
  async ({ scene }) => {
    await scene.startWorker();
    const { id, receiver } = await scene.startConsumer();
    const eventId = randomUUID();
    const occurredAt = new Date();
    const body = JSON.stringify({
      event_id: eventId,
      event_type: 'call.ended',
      data: {},
      occurred_at: occurredAt.toISOString(),
      tenant_ref: 't',
      api_version: '1',
      sequence: 1,
    });
    const event = { type: 'call.ended', consumerId: id, occurredAt, eventId, body, dueAt: occurredAt };
    await scene.db.$executeRaw`select record_events(${JSON.stringify([event])}::jsonb)`;
    await until(async () => (await withStatus(scene.db, 'DELIVERED')) === 1, 10_000);
    expect(arrived(receiver)).toEqual(new Set([eventId]));
    expect(receiver.deliveries).toHaveLength(1);
    expect(await scene.db.eventDelivery.count()).toBe(0);
  },
  30_000,
);

test.concurrent(
  'a dead endpoint with a backlog does not delay a healthy one',
  async ({ scene }) => {
    await scene.startWorker();
    const dead = await scene.startConsumer();
    const healthy = await scene.startConsumer();
    dead.receiver.answer('hang');
    await recordEvents(scene.db, dead.id, 300);
    await dead.receiver.waitForCount(10); // its limit is reached
    await recordEvents(scene.db, healthy.id, 100);
    await healthy.receiver.waitForCount(100, 9_000); // before the first delivery to the dead endpoint times out
    expect(dead.receiver.deliveries.length).toBeLessThanOrEqual(20);
  },
  30_000,
);

test.concurrent(
  'a worker that is killed during deliveries loses none, and another continues within 30 s',
  async ({ scene }) => {
    const { child } = await scene.startWorker();
    const { id, receiver } = await scene.startConsumer();
    receiver.answer('hang');
    const stuck = await recordEvents(scene.db, id, 5);
    await receiver.waitForCount(5);
    await endProcess(child, 'SIGKILL');
    const killedAt = performance.now();
    receiver.answer(200);
    receiver.deliveries.length = 0;
    await scene.startWorker();
    const fresh = await recordEvents(scene.db, id, 20);
    await until(async () => (await withStatus(scene.db, 'DELIVERED')) === 25, 30_000);
    expect(performance.now() - killedAt).toBeLessThan(30_000);
    expect(arrived(receiver)).toEqual(new Set([...stuck, ...fresh]));
    expect(receiver.deliveries).toHaveLength(25); // once each, because nothing else failed
  },
  60_000,
);

test.concurrent(
  'a worker that is killed repeatedly still delivers every event',
  async ({ scene }) => {
    const { id, receiver } = await scene.startConsumer();
    receiver.answer({ respond: (_, response) => void setTimeout(() => response.end(), 20) });
    const ids = await recordEvents(scene.db, id, 400);
    for (let kill = 0; kill < 3; kill += 1) {
      const { child } = await scene.startWorker();
      const soFar = receiver.deliveries.length;
      await receiver.waitForCount(soFar + 60, RECOVERY_MS); // the deliveries of the dead one are unlocked after 10 s
      await endProcess(child, 'SIGKILL');
    }
    await scene.startWorker();
    await until(async () => (await withStatus(scene.db, 'PENDING')) === 0, RECOVERY_MS);
    expect(arrived(receiver)).toEqual(new Set(ids));
    expect(await withStatus(scene.db, 'DELIVERED')).toBe(400);
  },
  180_000,
);

test.concurrent(
  'SIGTERM lets the running delivery end and records it',
  async ({ scene }) => {
    const { child } = await scene.startWorker();
    const { id, receiver } = await scene.startConsumer();
    let finish: () => void = () => undefined;
    receiver.answer({ respond: (_, response) => void (finish = () => response.end()) });
    await recordEvents(scene.db, id, 1);
    await receiver.waitForCount(1);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    finish();
    expect(await exited).toEqual([0, null]);
    expect(await withStatus(scene.db, 'DELIVERED')).toBe(1);
  },
  30_000,
);

test.concurrent(
  'SIGTERM during a backlog ends the worker soon and leaves nothing claimed',
  async ({ scene }) => {
    const { child } = await scene.startWorker();
    const { id, receiver } = await scene.startConsumer();
    await recordEvents(scene.db, id, 3_000);
    await receiver.waitForCount(300);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(await withStatus(scene.db, 'PENDING')).toBeGreaterThan(0);
    expect(await scene.db.eventDelivery.count({ where: { claimedBy: { not: null } } })).toBe(0);
  },
  15_000, // a worker that waits for deliveries which it never sends takes 20 s
);

test.concurrent(
  'continues after the database closes every connection',
  async ({ scene }) => {
    await scene.startWorker();
    const { id, receiver } = await scene.startConsumer();
    await recordEvents(scene.db, id, 1);
    await receiver.waitForCount(1);
    for (let cut = 0; cut < 3; cut += 1) {
      await scene.db.$executeRaw`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
      await recordEvents(scene.db, id, 5);
      await receiver.waitFor(() => arrived(receiver).size === 6 + cut * 5, RECOVERY_MS);
    }
    await until(async () => (await withStatus(scene.db, 'PENDING')) === 0, RECOVERY_MS);
  },
  180_000,
);

test.concurrent(
  'a restart of the database, even during a delivery, loses no event',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'clarion-restart-'));
    await chmod(dir, 0o755);
    const prepared = await preparePostgres({ dir, password: 'temporary', settings: { fsync: 'off' } });
    let server = await runPostgres(prepared);
    const scene = new Scene(server.url);
    try {
      await applyMigrations(server.url);
      const { origin, child } = await scene.startWorker();
      const { id, receiver } = await scene.startConsumer();
      let finish: () => void = () => undefined;
      receiver.answer(200, [{ respond: (_, response) => void (finish = () => response.end()) }]);
      const before = await recordEvents(scene.db, id, 1);
      await receiver.waitForCount(1);
      await server.stop('SIGQUIT');
      expect((await get(`${origin}/readyz`)).status).toBe(503);
      expect((await get(`${origin}/healthz`)).status).toBe(200);
      finish(); // delivered, while the attempt cannot be recorded
      server = await runPostgres(prepared);
      const after = await recordEvents(scene.db, id, 20);
      await until(async () => (await withStatus(scene.db, 'DELIVERED')) === 21, 30_000);
      expect(arrived(receiver)).toEqual(new Set([...before, ...after]));
      await until(async () => (await get(`${origin}/readyz`)).status === 200, 10_000);
      expect(await endProcess(child, 'SIGTERM')).toBe(0);
    } finally {
      await scene.close();
      await server.stop('SIGQUIT');
      await rm(dir, { recursive: true, force: true });
    }
  },
  90_000,
);
