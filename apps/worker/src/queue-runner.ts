/**
 * One run of graphile-worker, with its heartbeat. A run cannot continue after a loss of the database: it may have claimed jobs without
 * learning of it, and graphile-worker stops if it cannot report a finished job. So a run with an error reports it (`faulted`), is stopped,
 * releases every job it still has locked, and is replaced by another run (supervise.ts).
 */
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@clarion/db';
import { Logger as GraphileLogger, parseCronItems, run } from 'graphile-worker';
import type { Task, TaskList, WorkerEvents } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import { startHeartbeat } from './heartbeat.ts';
import type { Run } from './supervise.ts';
import { schedule } from './tasks/index.ts';

/** Concurrent jobs. Deliveries are not among them (delivery-runner.ts). */
const CONCURRENCY = 10;
/** How often each idle slot polls for jobs that have become due: together twice a second. The database announces new jobs. */
const POLL_INTERVAL_MS = 5_000;
/** Connections for claiming and completing jobs; one of them listens. */
const POOL_CONNECTIONS = 6;

/** How long running jobs may take to end; then they are left to another run. */
const STOP_LIMIT_MS = 20_000;
/** After the last task: time to report its completion to the database. An unreported task is run again and has nothing to do. */
const REPORT_GRACE_MS = 1_000;

export async function startQueueRunner(options: {
  databaseUrl: string;
  db: Database;
  log: Logger;
  taskList: TaskList;
}): Promise<Run> {
  const { databaseUrl, db, log } = options;
  const tasks = countRunning(options.taskList);
  const events: WorkerEvents = new EventEmitter();
  const poolId = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });
  // No job starts before the first heartbeat, because another worker would consider this one dead.
  const beating = poolId.then((id) => startHeartbeat(db, id, log));
  const fault = Promise.withResolvers<Error>();
  beating.catch((error: unknown) => fault.resolve(asError(error)));
  events.on('worker:getJob:error', ({ error }) => fault.resolve(asError(error)));
  events.on('pool:fatalError', ({ error }) => fault.resolve(asError(error)));
  events.on('pool:gracefulShutdown', ({ message }) => fault.resolve(new Error(message)));

  const pgPool = connectionPool(databaseUrl, log);
  const runner = await run({
    pgPool,
    concurrency: CONCURRENCY,
    pollInterval: POLL_INTERVAL_MS,
    noHandleSignals: true,
    events,
    forbiddenFlags: async () => {
      await beating;
      return [];
    },
    logger: graphileLogger(log),
    taskList: tasks.taskList,
    parsedCronItems: parseCronItems(schedule),
    // Only batches handle a job whose completion cannot be reported; otherwise the rejection would terminate the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  }).catch(async (error: unknown) => {
    await pgPool.end().catch(() => undefined);
    throw error;
  });
  const ended = runner.promise.then(
    () => fault.resolve(new Error('the job queue stopped')),
    (error: unknown) => fault.resolve(asError(error)),
  );
  return {
    faulted: fault.promise,
    async stop() {
      // It may have stopped by itself, and after an error graphile-worker's own promise may never settle, so the end of our tasks counts.
      const stopped = runner.stop().then(
        () => ended,
        () => ended,
      );
      const idle = tasks.idle().then(() => sleep(REPORT_GRACE_MS));
      await Promise.race([stopped, idle, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
      void pgPool.end().catch(() => undefined); // not awaited, because a hanging connection may never close
      await (await beating).stop();
    },
  };
}

/** The same tasks, and a promise that resolves when none of them is running. */
function countRunning(taskList: TaskList): { taskList: TaskList; idle(): Promise<void> } {
  let running = 0;
  const changes = new EventEmitter();
  const counted = (task: Task): Task => {
    return async (payload, helpers) => {
      running += 1;
      try {
        return await task(payload, helpers);
      } finally {
        running -= 1;
        changes.emit('ended');
      }
    };
  };
  return {
    taskList: Object.fromEntries(
      Object.entries(taskList).flatMap(([name, task]) => (task ? [[name, counted(task)]] : [])),
    ),
    async idle() {
      while (running > 0) await once(changes, 'ended');
    },
  };
}

/**
 * Our own pool: graphile-worker's removes its error handlers before its connections, so that a lost connection would terminate the process.
 */
function connectionPool(connectionString: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: POOL_CONNECTIONS });
  const lost = (error: Error) => log.debug({ err: error }, 'database connection of the job queue lost');
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', lost));
  return pool;
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * Logged at every start because the pool is smaller than `CONCURRENCY`, which is intended: a job needs a connection only to be claimed and
 * completed, so a few connections serve all slots.
 */
const EXPECTED_WARNING = 'having maxPoolSize';

/** graphile-worker logs every job at level info; we log it at debug. */
const graphileLogger = (log: Logger) =>
  new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error(message);
    else if (level === 'warning' && !message.includes(EXPECTED_WARNING)) log.warn(message);
    else log.debug(message);
  });
