/**
 * One run of graphile-worker, with its heartbeat. When the database goes away a run cannot go on: it may have taken jobs
 * without hearing of it, and graphile-worker gives up when it cannot report a finished one. So a run that met trouble says so
 * (`faulted`), is stopped, lets go of every job it still holds, and another run takes its place (worker.ts).
 */
import { EventEmitter } from 'node:events';
import type { Database } from '@clarion/db';
import { Logger as GraphileLogger, run } from 'graphile-worker';
import type { TaskList, WorkerEvents } from 'graphile-worker';
import type { Logger } from 'pino';
import { CONCURRENCY } from './fair-slots.ts';
import { startHeartbeat } from './heartbeat.ts';

/** How often an idle slot looks for jobs that have become due; new jobs are announced by the database. */
const POLL_INTERVAL_MS = 1_000;
/** Connections for taking and completing jobs, one of them to listen on. */
const POOL_CONNECTIONS = 6;

export interface QueueRunner {
  /** Resolves, with the trouble, when this run should be stopped and another be started. */
  faulted: Promise<Error>;
  /** Takes no more jobs, lets the running ones end, signs off. */
  stop(): Promise<void>;
}

export async function startQueueRunner(options: {
  databaseUrl: string;
  db: Database;
  log: Logger;
  taskList: TaskList;
  /** Flags whose jobs are not to be taken now; asked before each job. */
  forbiddenFlags: () => string[];
}): Promise<QueueRunner> {
  const { databaseUrl, db, log, taskList, forbiddenFlags } = options;
  const events: WorkerEvents = new EventEmitter();
  const poolId = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });
  // No job starts before the first beat: another worker would take this one for dead.
  const beating = poolId.then((id) => startHeartbeat(db, id, log));
  const fault = Promise.withResolvers<Error>();
  beating.catch((error: unknown) => fault.resolve(asError(error)));
  events.on('worker:getJob:error', ({ error }) => fault.resolve(asError(error)));

  const runner = await run({
    connectionString: databaseUrl,
    maxPoolSize: POOL_CONNECTIONS,
    concurrency: CONCURRENCY,
    pollInterval: POLL_INTERVAL_MS,
    noHandleSignals: true,
    events,
    forbiddenFlags: async () => {
      await beating;
      return forbiddenFlags();
    },
    logger: graphileLogger(log),
    taskList,
    parsedCronItems: [],
    // Only the batches handle a job that cannot be reported as done; otherwise the rejection would end the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });
  const ended = runner.promise.then(
    () => fault.resolve(new Error('the job queue ended')),
    (error: unknown) => fault.resolve(asError(error)),
  );
  return {
    faulted: fault.promise,
    async stop() {
      // It may have stopped by itself; then there is only its end to wait for.
      await runner.stop().catch(() => undefined);
      await ended;
      await (await beating).stop();
    },
  };
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** graphile-worker tells of every job at level info; that is our debug. */
const graphileLogger = (log: Logger) =>
  new GraphileLogger(() => (level, message) => {
    log[level === 'warning' ? 'warn' : level === 'error' ? 'error' : 'debug'](message);
  });
