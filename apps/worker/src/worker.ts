/** The runners of the worker: graphile-worker's jobs, and event deliveries and push notifications in batches. */
import { jobs } from '@clarion/db';
import type { JobName, JobPayload } from '@clarion/db';
import type { Task, TaskList } from 'graphile-worker';
import { startDeliveryRunner } from './delivery-runner.ts';
import { FairSlots } from './fair-slots.ts';
import { startPushRunner } from './push-runner.ts';
import type { PushContext } from './push-runner.ts';
import { startQueueRunner } from './queue-runner.ts';
import { supervise } from './supervise.ts';
import { tasks } from './tasks/index.ts';
import type { TaskContext } from './tasks/index.ts';

export interface Worker {
  /** False while a runner is being restarted, and after `stop`. */
  isRunning(): boolean;
  /** Deliveries being sent now. */
  runningDeliveries(): number;
  /** Claims no more jobs, lets running ones finish, and deregisters. */
  stop(): Promise<void>;
}

export async function startWorker(
  databaseUrl: string,
  ctx: TaskContext,
  pushContext: PushContext,
): Promise<Worker> {
  const { db, log } = ctx;
  const slots = new FairSlots();
  const taskList = taskListOf(ctx);
  const running = await Promise.all([
    supervise('job queue', () => startQueueRunner({ databaseUrl, db, log, taskList }), log),
    supervise('deliveries', () => startDeliveryRunner(databaseUrl, ctx, slots), log),
    supervise('push notifications', () => startPushRunner(databaseUrl, pushContext), log),
  ]);
  return {
    isRunning: () => running.every((part) => part.isRunning()),
    runningDeliveries: () => slots.running,
    async stop() {
      await Promise.all(running.map((part) => part.stop()));
    },
  };
}

function taskListOf(ctx: TaskContext): TaskList {
  const names = Object.keys(tasks) as JobName[];
  return Object.fromEntries(names.map((name) => [name, asTask(name, ctx)]));
}

/** Validates the payload and runs the task of that name. */
function asTask<N extends JobName>(name: N, ctx: TaskContext): Task {
  return async (payload) => {
    // The catalogue's schema for a name matches its task's payload, which TypeScript cannot infer from the table.
    await tasks[name](jobs[name].parse(payload) as JobPayload<N>, ctx);
  };
}
