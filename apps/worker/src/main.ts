/** The worker process: runs jobs from PostgreSQL until SIGTERM or SIGINT. */
import { createPushSender } from '@clarion/core/push/send/push-sender';
import { createGraphClient } from '@clarion/core/whatsapp/graph-client';
import { createEgress } from '@clarion/core/egress/guard';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase, createPool } from '@clarion/db';
import { CORRECTED, DatabaseClock } from '@clarion/db/database-clock';
import { LOOP_SAMPLE_MS } from '@clarion/protocol/process-metrics';
import { createStore } from '@clarion/store/store';
import { pino } from 'pino';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { readEnv } from './env.ts';
import { startHealthServer } from './health-server.ts';
import { createTransport } from './transport.ts';
import { startWorker } from './worker.ts';

const env = readEnv();
const log = pino({ level: env.logLevel, base: { app: 'worker' } });
const metrics = new Registry();
collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
const deliveries = new Counter({
  name: 'clarion_event_deliveries_total',
  help: 'Delivery attempts by outcome',
  labelNames: ['outcome'],
  registers: [metrics],
});
const pushes = new Counter({
  name: 'clarion_pushes_total',
  help: 'Push notifications by provider of the token and outcome of the attempt',
  labelNames: ['provider', 'outcome'],
  registers: [metrics],
});

/** Less than PostgreSQL's deadlock_timeout (1 s), so that in a deadlock this connection fails and not another transaction. */
const LOCK_TIMEOUT_MS = 500;
/** For deliveries: one to claim, one to record, and a spare. */
const DELIVERY_CONNECTIONS = 3;
/** For push notifications: one each to claim, to begin and to record. */
const PUSH_CONNECTIONS = 3;

const db = createDatabase(env.databaseUrl, { connections: 5 });
const poolOf = (runner: string, connections: number) =>
  createPool(env.databaseUrl, {
    connections,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    onError: (error) => log.debug({ err: error, runner }, 'database connection of a runner lost'),
  });
const sql = poolOf('deliveries', DELIVERY_CONNECTIONS);
const pushSql = poolOf('push notifications', PUSH_CONNECTIONS);
const egress = createEgress({ allowPrivate: env.allowPrivateEgress });
const secrets = createSecretBox(env.masterKeys);
const store = createStore(env.store, { secrets, baseUrl: env.baseUrl });
/** The times of push notifications are the database's, and this host's clock may differ. */
const clock = new DatabaseClock(db, {
  onCorrected: (correctionMs) => log.warn({ correctionMs }, CORRECTED),
});
await clock.start();
const sender = createPushSender({
  egress,
  urls: env.pushUrls,
  allowPrivate: env.allowPrivateEgress,
  now: clock.now,
  log,
});
const worker = await startWorker(
  env.databaseUrl,
  {
    db,
    store,
    sql,
    egress,
    secrets,
    log,
    deliveries,
    transport: createTransport(env),
    operatorName: env.operatorName,
    graph: createGraphClient({ egress, baseUrl: env.graphUrl }),
    now: clock.now,
  },
  { sql: pushSql, sender, secrets, pushes, log, now: clock.now },
);
new Gauge({
  name: 'clarion_event_deliveries_running',
  help: 'Deliveries in flight',
  registers: [metrics],
  collect() {
    this.set(worker.runningDeliveries());
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
  clock.stop();
  await Promise.all([health.close(), egress.close(), sender.close()]);
  void sql.end();
  void pushSql.end();
  await db.$disconnect();
  process.exit(0); // a hanging connection must not keep the process alive
}
process.on('SIGTERM', () => void stop('SIGTERM'));
process.on('SIGINT', () => void stop('SIGINT'));
