/**
 * Webhooks signed, sent and logged per second, compared with graphile-worker's own rate of jobs, claimed and completed in batches as its
 * documentation recommends: jobs that do nothing, and jobs that only POST the same body to the same receiver, which is the least that a
 * delivery is. Alternating rounds in one run, on one database with its default, durable settings.
 *
 * `node bench/api/webhooks.ts` runs only this part.
 */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes, randomUUID } from 'node:crypto';
import { newWebhookSecret } from '@clarion/core/event/signature';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import { applyMigrations } from '@clarion/db/migrate';
import { callEndpoints } from '@clarion/protocol/v1/call/calls';
import { endProcess, recordEvents, startWorkerProcess } from '@clarion/testkit/load/delivery-load';
import { Logger, run as runGraphile } from 'graphile-worker';
import pg from 'pg';
import { Pool } from 'undici';
import { usageOf } from '../calls/processes.ts';
import { SLOTS_PER_FLAG } from '../../apps/worker/src/fair-slots.ts';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';

const ROUNDS = 3;
const CONSUMERS = 20;
const EVENTS = 40_000;
/** Each consumer's events are written in this many parts, so that they are mixed with those of the others. */
const PARTS = 50;
const NO_OPS = 40_000;
/** No event is due while they are written … */
const WRITING_MS = 3_600_000;
/** … and all are due at this time, which leaves time to vacuum the tables. */
const LEAD_MS = 4_000;
const PATIENCE_MS = 120_000;
const GOAL = 0.3;
/** Temporary databases skip durability; this one has the settings of a real one. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

export interface WebhookFigures {
  /** Per second, one for each round. */
  webhooks: number[];
  noOps: number[];
  /** Jobs of graphile-worker that POST the same body: neither signed nor logged. */
  bare: number[];
  /** Webhooks to jobs that do nothing. */
  ratio: number;
  goal: number;
  /** Requirements without which the speed is meaningless. */
  /** CPU time per webhook by process, microseconds, in the last round. */
  cpuMicros: Record<string, number>;
  wrong: string[];
}

const say = (line: string) => process.stderr.write(`… ${line}\n`);
const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Prints its table and resolves with the figures. */
export async function run(): Promise<WebhookFigures> {
  const server = await startTemporaryPostgres({ settings: DURABLE });
  const masterKey = randomBytes(32).toString('base64');
  const secret = newWebhookSecret();
  const receiver = fork(new URL('receiver.ts', import.meta.url), [secret]);
  let worker: ChildProcess | undefined;
  const db = createDatabase(server.url, { connections: 3 });
  try {
    const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
    await applyMigrations(server.url);
    const sealed = createSecretBox([masterKey]).seal('webhook-secret', secret);
    const consumers = await makeConsumers(db, `http://127.0.0.1:${port}/hook`, sealed);
    const webhooks: number[] = [];
    const noOps: number[] = [];
    const bare: number[] = [];
    let cpuMicros: Record<string, number> = {};
    const wrong: string[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      noOps.push(await jobRate(server.url, NO_OPS, 24, () => undefined));
      bare.push(await bareRate(server.url, `http://127.0.0.1:${port}`));
      receiver.send('report');
      await once(receiver, 'message');
      // One process for all rounds, as a service runs: its code is compiled in the first one, as that of the jobs.
      worker ??= (await startWorkerProcess({ databaseUrl: server.url, masterKey })).child;
      const measured = await webhookRate(db, { worker, receiver }, consumers);
      ({ cpuMicros } = measured);
      webhooks.push(measured.rate);
      wrong.push(...measured.wrong);
      say(
        `round ${round}: ${Math.round(measured.rate)} webhooks, ${Math.round(bare.at(-1) ?? 0)} jobs that only POST, ${Math.round(noOps.at(-1) ?? 0)} that do nothing a second`,
      );
    }
    const ratio = median(webhooks) / median(noOps);
    const figures = { webhooks, noOps, bare, ratio, goal: GOAL, cpuMicros, wrong };
    process.stdout.write(`${table(figures)}\n`);
    return figures;
  } finally {
    if (worker) await endProcess(worker, 'SIGKILL');
    receiver.disconnect();
    await db.$disconnect();
    await server.stop();
  }
}

export async function makeConsumers(
  db: Database,
  webhookUrl: string,
  webhookSecretSealed: string,
  count = CONSUMERS,
): Promise<number[]> {
  const data = Array.from({ length: count }, () => ({
    slug: randomUUID(),
    name: 'bench',
    webhookUrl,
    webhookSecretSealed,
  }));
  return (await db.consumer.createManyAndReturn({ data })).map(({ id }) => id);
}

/** From the time the events are due until the last one is recorded as delivered. */
async function webhookRate(
  db: Database,
  { worker, receiver }: { worker: ChildProcess; receiver: ChildProcess },
  consumers: number[],
) {
  const pids = { worker: worker.pid, receiver: receiver.pid, postgres: await postmasterOf(db) };
  const data = callEndpoints.getCall.example.answer;
  for (let part = 0; part < PARTS; part += 1)
    for (const id of consumers)
      await recordEvents(db, id, EVENTS / CONSUMERS / PARTS, {
        dueAt: new Date(Date.now() + WRITING_MS),
        data,
      });
  const dueAt = new Date(Date.now() + LEAD_MS);
  await db.$executeRaw`update "EventDelivery" set "dueAt" = ${dueAt}`;
  await db.$executeRaw`vacuum analyze "Event", "EventAttempt", "EventDelivery"`;
  await db.$executeRaw`checkpoint`;
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt.getTime() - Date.now())));
  const before = usageOf(pids);
  await db.$executeRaw`select pg_notify('clarion_delivery', '')`;
  while ((await pending(db)) > 0) {
    if (Date.now() > dueAt.getTime() + PATIENCE_MS) throw new Error('not all events were delivered in time');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const seconds = (Date.now() - dueAt.getTime()) / 1000;
  const after = usageOf(pids);
  const micros = (name: string) =>
    (((after[name]?.cpuSeconds ?? 0) - (before[name]?.cpuSeconds ?? 0)) * 1e6) / EVENTS;
  const cpuMicros = Object.fromEntries(Object.keys(pids).map((name) => [name, micros(name)]));
  receiver.send('report');
  const [report] = (await once(receiver, 'message')) as [
    { unique: number; requests: number; badSignatures: number },
  ];
  const attempts = await db.eventAttempt.count();
  const delivered = await db.event.count({ where: { delivery: { is: null }, undelivered: null } });
  await db.event.deleteMany();
  const wrong = [
    report.unique !== EVENTS && `${report.unique} of ${EVENTS} events arrived`,
    report.requests !== EVENTS && `${report.requests} requests for ${EVENTS} events`,
    report.badSignatures > 0 && `${report.badSignatures} bad signatures`,
    attempts !== EVENTS && `${attempts} attempts were logged for ${EVENTS} events`,
    delivered !== EVENTS && `${delivered} of ${EVENTS} events are recorded as delivered`,
  ].filter((complaint) => complaint !== false);
  return { rate: EVENTS / seconds, cpuMicros, wrong };
}

/** Every database connection is a child of the postmaster. */
export async function postmasterOf(db: Database): Promise<number> {
  const [row] = await db.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const stat = readFileSync(`/proc/${row?.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

async function pending(db: Database): Promise<number> {
  const [row] = await db.$queryRaw<{ left: boolean }[]>`
    select exists (select 1 from "EventDelivery") as left`;
  return row?.left ? 1 : 0;
}

/** As many requests at once as our worker makes: its slots per consumer times the consumers. */
async function bareRate(databaseUrl: string, origin: string): Promise<number> {
  const atOnce = CONSUMERS * SLOTS_PER_FLAG;
  const pool = new Pool(origin, { connections: atOnce });
  const body = JSON.stringify(callEndpoints.getCall.example.answer);
  const headers = { 'content-type': 'application/json' };
  const post = async () => {
    const answer = await pool.request({ path: '/hook', method: 'POST', headers, body });
    await answer.body.dump();
  };
  try {
    return await jobRate(databaseUrl, EVENTS, atOnce, post);
  } finally {
    await pool.close();
  }
}

/** graphile-worker's documentation, Performance: a local queue, completion in batches; concurrency 24 as in its own figures of no-ops. */
async function jobRate(
  databaseUrl: string,
  jobs: number,
  concurrency: number,
  work: () => Promise<void> | undefined,
): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await pool.query(
      `select count(*) from graphile_worker.add_jobs(array(
        select ('no-op', json_build_object('id', n), null, null, null, null, null, null)::graphile_worker.job_spec
        from generate_series(1, $1) n))`,
      [jobs],
    );
    await pool.query('vacuum analyze graphile_worker._private_jobs');
    await pool.query('checkpoint');
    let done = 0;
    let firstAt = 0;
    const finished = Promise.withResolvers<void>();
    const runner = await runGraphile({
      pgPool: pool,
      concurrency,
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
      parsedCronItems: [],
      taskList: {
        'no-op': async () => {
          if (firstAt === 0) firstAt = performance.now();
          await work();
          done += 1;
          if (done === jobs) finished.resolve();
        },
      },
      preset: { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
    await finished.promise;
    const left = async () =>
      Number((await pool.query('select count(*) from graphile_worker._private_jobs')).rows[0].count);
    while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const seconds = (performance.now() - firstAt) / 1000;
    await runner.stop();
    return jobs / seconds;
  } finally {
    await pool.end();
  }
}

function table({ webhooks, noOps, bare, ratio, goal, cpuMicros, wrong }: WebhookFigures): string {
  const list = (values: number[]) => values.map((value) => Math.round(value).toLocaleString('en')).join(', ');
  return [
    `| a second, ${ROUNDS} rounds | |`,
    '|---|---|',
    `| webhooks signed, sent and logged (${EVENTS} events, ${CONSUMERS} consumers, one worker) | ${list(webhooks)} |`,
    `| graphile-worker, jobs that do nothing, in batches | ${list(noOps)} |`,
    `| graphile-worker, jobs that only POST the same body, in batches | ${list(bare)} |`,
    `| webhooks to jobs that only POST | ${(median(webhooks) / median(bare)).toFixed(2)} |`,
    `| webhooks to jobs that do nothing (goal ${goal}) | ${ratio.toFixed(2)} |`,
    `| CPU of one webhook | ${Object.entries(cpuMicros)
      .map(([name, micros]) => `${name} ${micros.toFixed(0)} µs`)
      .join(', ')} |`,
    ...wrong.map((line) => `NOT RIGHT: ${line}`),
  ].join('\n');
}

if (import.meta.main) {
  const { wrong } = await run();
  process.exit(wrong.length === 0 ? 0 : 1);
}
