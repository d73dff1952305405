/** The worker process: takes jobs from PostgreSQL until it is told to stop. */
import { createEgress } from '@clarion/core/egress/guard';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase } from '@clarion/db';
import { pino } from 'pino';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { readEnv } from './env.ts';
import { startHealthServer } from './health-server.ts';
import { startWorker } from './worker.ts';

const env = readEnv();
const log = pino({ level: env.logLevel, base: { app: 'worker' } });
const metrics = new Registry();
collectDefaultMetrics({ register: metrics });
const deliveries = new Counter({
  name: 'clarion_event_deliveries_total',
  help: 'Delivery attempts by outcome',
  labelNames: ['outcome'],
  registers: [metrics],
});

const db = createDatabase(env.databaseUrl);
const egress = createEgress({ allowPrivate: env.allowPrivateEgress });
const secrets = createSecretBox(env.masterKeys);
const worker = await startWorker(env.databaseUrl, {
  db,
  egress,
  secrets,
  log,
  deliveries,
  now: () => new Date(),
});
new Gauge({
  name: 'clarion_jobs_running',
  help: 'Jobs with a flag that run now',
  registers: [metrics],
  collect() {
    this.set(worker.runningJobs());
  },
});
const health = await startHealthServer({
  host: env.bind,
  port: env.port,
  metrics,
  checks: {
    database: () => db.$queryRaw`select 1`,
    jobQueue: async () => {
      if (!worker.isRunning()) throw new Error('stopped');
    },
  },
});
log.info({ port: health.port }, 'worker ready');

let stopping = false;
async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info({ reason }, 'worker stopping');
  await worker.stop();
  await Promise.all([health.close(), egress.close()]);
  await db.$disconnect();
  process.exit(0); // a connection that hangs must not keep the process
}
process.on('SIGTERM', () => void stop('SIGTERM'));
process.on('SIGINT', () => void stop('SIGINT'));
