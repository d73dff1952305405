/** graphile-worker with our tasks, fair slots and heartbeat. */
import { EventEmitter } from 'node:events';
import { jobs } from '@clarion/db';
import type { JobName, JobPayload } from '@clarion/db';
import { Logger as GraphileLogger, run } from 'graphile-worker';
import type { JobHelpers, Runner, Task, TaskList, WorkerEvents } from 'graphile-worker';
import type { Logger } from 'pino';
import { BOUNCE_MS, CONCURRENCY, FairSlots } from './fair-slots.ts';
import { startHeartbeat } from './heartbeat.ts';
import { tasks } from './tasks/index.ts';
import type { TaskContext } from './tasks/index.ts';

/** How often an idle slot looks for jobs that have become due; new jobs are announced by the database. */
const POLL_INTERVAL_MS = 1_000;
/** Connections for taking and completing jobs, one of them to listen on. */
const POOL_CONNECTIONS = 6;

export interface Worker {
  /** False once graphile-worker has stopped, by itself or by `stop`. */
  isRunning(): boolean;
  runningJobs(): number;
  /** Takes no more jobs, lets the running ones end, signs off. */
  stop(): Promise<void>;
  /** Resolves when it has stopped by itself, which it should never do. */
  ended: Promise<void>;
}

export async function startWorker(databaseUrl: string, ctx: TaskContext): Promise<Worker> {
  const slots = new FairSlots();
  const events: WorkerEvents = new EventEmitter();
  const poolId = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });
  // No job starts before the first beat: another worker would take this one for dead.
  const beating = poolId.then((id) => startHeartbeat(ctx.db, id, ctx.log));
  const runner: Runner = await run({
    connectionString: databaseUrl,
    maxPoolSize: POOL_CONNECTIONS,
    concurrency: CONCURRENCY,
    pollInterval: POLL_INTERVAL_MS,
    noHandleSignals: true,
    events,
    forbiddenFlags: async () => {
      await beating;
      return slots.full();
    },
    logger: graphileLogger(ctx.log),
    taskList: taskList(ctx, slots),
    parsedCronItems: [],
  });
  const heartbeat = await beating;
  let running = true;
  const ended = runner.promise.then(
    () => void (running = false),
    (error: unknown) => {
      running = false;
      ctx.log.error({ err: error }, 'the job queue stopped');
    },
  );
  return {
    isRunning: () => running,
    runningJobs: () => slots.running,
    async stop() {
      await runner.stop();
      await ended;
      await heartbeat.stop();
    },
    ended,
  };
}

function taskList(ctx: TaskContext, slots: FairSlots): TaskList {
  const names = Object.keys(jobs) as JobName[];
  return Object.fromEntries(names.map((name) => [name, fairly(slots, asTask(name, ctx))]));
}

/** Checks the payload and runs the task of that name. */
function asTask<N extends JobName>(name: N, ctx: TaskContext): Task {
  return async (payload) => {
    // The catalogue's schema of this name yields this name's payload; TypeScript cannot follow a name through the table.
    await tasks[name](jobs[name].parse(payload) as JobPayload<N>, ctx);
  };
}

/** Runs the task if its flags have slots left, else puts the job back for a moment. */
function fairly(slots: FairSlots, task: Task): Task {
  return async (payload, helpers) => {
    const flags = Object.keys(helpers.job.flags ?? {});
    if (!slots.take(flags)) return putBack(helpers, flags);
    const startedAt = performance.now();
    try {
      await task(payload, helpers);
    } finally {
      slots.release(flags, performance.now() - startedAt);
    }
  };
}

async function putBack({ job, addJob }: JobHelpers, flags: string[]): Promise<void> {
  await addJob(job.task_identifier, job.payload, {
    runAt: new Date(Date.now() + BOUNCE_MS),
    priority: job.priority,
    maxAttempts: job.max_attempts,
    flags,
    ...(job.key !== null && { jobKey: job.key }),
  });
}

/** graphile-worker tells of every job at level info; that is our debug. */
const graphileLogger = (log: Logger) =>
  new GraphileLogger(() => (level, message) => {
    log[level === 'warning' ? 'warn' : level === 'error' ? 'error' : 'debug'](message);
  });
