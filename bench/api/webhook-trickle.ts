/**
 * What a webhook costs when events arrive one by one, a few per call and second, as in normal operation: CPU time of the worker and of
 * Postgres per delivery, without what they use while nothing happens.
 *
 * `node bench/api/webhook-trickle.ts [events per second]` runs only this part.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { newWebhookSecret } from '@clarion/core/event/signature';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import { applyMigrations } from '@clarion/db/migrate';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { callEndpoints } from '@clarion/protocol/v1/call/calls';
import { endProcess, recordEvents, startWorkerProcess } from '@clarion/testkit/load/delivery-load';
import { usageOf } from '../calls/processes.ts';
import { makeConsumers, postmasterOf } from './webhooks.ts';

/** Five events per call at 25 calls a second. */
const EVENTS_PER_SECOND = 125;
const SECONDS = 20;
const IDLE_SECONDS = 10;
const CONSUMERS = 5;
const PATIENCE_MS = 30_000;
const POLL_MS = 100;
/** What a worker does when it starts is not part of its idle load. */
const SETTLE_MS = 2_000;

type CpuSeconds = Record<string, number>;

async function cpuDuring(pids: Record<string, number | undefined>, work: () => Promise<void>) {
  const [before, startedAt] = [usageOf(pids), performance.now()];
  await work();
  const after = usageOf(pids);
  const cpu: CpuSeconds = Object.fromEntries(
    Object.keys(pids).map((name) => [name, (after[name]?.cpuSeconds ?? 0) - (before[name]?.cpuSeconds ?? 0)]),
  );
  return { cpu, seconds: (performance.now() - startedAt) / 1_000 };
}

/** One event per transaction, evenly spread; resolves when all are delivered. The recording itself is measured without a worker first. */
async function recordEvenly(db: Database, consumers: number[], perSecond: number): Promise<void> {
  const data = callEndpoints.getCall.example.answer;
  const startedAt = performance.now();
  for (let recorded = 0; recorded < perSecond * SECONDS; recorded += 1) {
    const early = startedAt + (recorded / perSecond) * 1_000 - performance.now();
    if (early > 0) await sleep(early);
    await recordEvents(db, consumers[recorded % consumers.length] ?? 0, 1, { data });
  }
}

async function allDelivered(db: Database): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while ((await db.eventDelivery.count()) > 0) {
    if (performance.now() > deadline) throw new Error('not all events were delivered in time');
    await sleep(POLL_MS);
  }
}

export async function run(perSecond = EVENTS_PER_SECOND): Promise<void> {
  const server = await startTemporaryPostgres({});
  const masterKey = randomBytes(32).toString('base64');
  const secret = newWebhookSecret();
  const receiver = fork(new URL('receiver.ts', import.meta.url), [secret]);
  const db = createDatabase(server.url, { connections: 3 });
  try {
    const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
    await applyMigrations(server.url);
    const sealed = createSecretBox([masterKey]).seal('webhook-secret', secret);
    const consumers = await makeConsumers(db, `http://127.0.0.1:${port}/hook`, sealed, CONSUMERS);
    const postgres = await postmasterOf(db);
    const unserved = await cpuDuring({ postgres }, () => recordEvenly(db, consumers, perSecond));
    await db.event.deleteMany();
    const { child } = await startWorkerProcess({ databaseUrl: server.url, masterKey });
    await sleep(SETTLE_MS);
    const pids = { worker: child.pid, postgres };
    const idle = await cpuDuring(pids, () => sleep(IDLE_SECONDS * 1_000));
    const busy = await cpuDuring(pids, async () => {
      await recordEvenly(db, consumers, perSecond);
      await allDelivered(db);
    });
    await endProcess(child, 'SIGTERM');
    const share = (name: string) => (idle.cpu[name] ?? 0) / idle.seconds;
    const micros = (name: string, less: number) =>
      (((busy.cpu[name] ?? 0) - less - share(name) * busy.seconds) * 1e6) / (perSecond * SECONDS);
    const worker = micros('worker', 0).toFixed(0);
    const inPostgres = micros('postgres', unserved.cpu['postgres'] ?? 0).toFixed(0);
    process.stdout.write(
      `${perSecond} events/s: worker ${worker} µs, Postgres ${inPostgres} µs per webhook (recording it excluded); idle: worker ` +
        `${(share('worker') * 1_000).toFixed(1)} ms, Postgres ${(share('postgres') * 1_000).toFixed(1)} ms per second\n`,
    );
  } finally {
    receiver.disconnect();
    await db.$disconnect();
    await server.stop();
  }
}

if (import.meta.main) await run(Number(process.argv[2] ?? EVENTS_PER_SECOND));
