/** Our tasks on the job queue, with fair slots; a run of the queue that met trouble is replaced by another. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jobs } from '@clarion/db';
import type { JobName, JobPayload } from '@clarion/db';
import type { JobHelpers, Task, TaskList } from 'graphile-worker';
import { BOUNCE_MS, FairSlots } from './fair-slots.ts';
import { startQueueRunner } from './queue-runner.ts';
import type { QueueRunner } from './queue-runner.ts';
import { tasks } from './tasks/index.ts';
import type { TaskContext } from './tasks/index.ts';

/** Between two tries to start another run while the database is away. */
const RESTART_DELAY_MS = 1_000;

export interface Worker {
  /** False while the queue is being restarted, and after `stop`. */
  isRunning(): boolean;
  runningJobs(): number;
  /** Takes no more jobs, lets the running ones end, signs off. */
  stop(): Promise<void>;
}

export async function startWorker(databaseUrl: string, ctx: TaskContext): Promise<Worker> {
  const { db, log } = ctx;
  const slots = new FairSlots();
  const start = () =>
    startQueueRunner({
      databaseUrl,
      db,
      log,
      taskList: taskList(ctx, slots),
      forbiddenFlags: () => slots.full(),
    });
  let runner: QueueRunner | null = await start();
  const stopping = new AbortController();
  const stopRequested = new Promise<null>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(null));
  });

  // When the database is away, signing off fails: the others will take the run for dead and unlock its jobs.
  const retire = (retired: QueueRunner) =>
    retired.stop().catch((error: unknown) => log.warn({ err: error }, 'could not sign off'));
  const supervise = async () => {
    while (runner) {
      const trouble = await Promise.race([runner.faulted, stopRequested]);
      if (trouble === null) return retire(runner);
      log.error({ err: trouble }, 'the job queue met trouble and is started again');
      const retired = runner;
      runner = null;
      await retire(retired);
      while (!runner && !stopping.signal.aborted) {
        runner = await start().catch(() => null);
        if (!runner) await Promise.race([sleep(RESTART_DELAY_MS), stopRequested]);
      }
      if (runner) log.info('the job queue runs again');
    }
  };
  const supervised = supervise();
  return {
    isRunning: () => runner !== null && !stopping.signal.aborted,
    runningJobs: () => slots.running,
    async stop() {
      stopping.abort();
      await supervised;
    },
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
