/**
 * The private tables of graphile-worker, for statements that its public functions cannot replace: deliveries are claimed and completed in
 * batches, overdue events are joined with their jobs, and the jobs of dead workers are unlocked within seconds. A new version may change
 * these tables, so the version is pinned; when you upgrade it, test every statement that imports from here.
 *
 * Columns used: `id`, `key`, `task_id`, `payload`, `flags`, `priority`, `run_at`, `attempts`, `max_attempts`, `is_available`, `locked_at`,
 * `locked_by`, `revision`, `updated_at` of the jobs; `id`, `identifier` of the tasks.
 */
import { Prisma } from '../generated/client.ts';

export const PRIVATE_JOBS = 'graphile_worker._private_jobs';
export const PRIVATE_TASKS = 'graphile_worker._private_tasks';

/** The same for Prisma's tagged templates. */
export const privateJobs = Prisma.raw(PRIVATE_JOBS);
export const privateTasks = Prisma.raw(PRIVATE_TASKS);
