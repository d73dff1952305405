import { jobs, MAX_JOB_ATTEMPTS } from './catalogue.ts';
import type { JobName, JobOptions, JobPayload } from './catalogue.ts';
import type { Prisma } from '../generated/client.ts';

/** Adds a job in the caller's transaction: it exists if and only if the transaction is committed. */
export async function enqueue<N extends JobName>(
  tx: Prisma.TransactionClient,
  name: N,
  payload: JobPayload<N>,
  options: JobOptions = {},
): Promise<void> {
  const json = JSON.stringify(jobs[name].parse(payload));
  await tx.$executeRaw`select graphile_worker.add_job(
    ${name}::text, ${json}::json, queue_name := ${options.queueName ?? null}::text,
    run_at := ${options.runAt ?? null}::timestamptz, max_attempts := ${MAX_JOB_ATTEMPTS}::int,
    job_key := ${options.key ?? null}::text, priority := ${options.priority ?? 0}::int,
    flags := ${options.flags ?? null}::text[])`;
}

/** Removes the job with this key, if it has not started. */
export async function removeJob(tx: Prisma.TransactionClient, key: string): Promise<void> {
  await tx.$executeRaw`select graphile_worker.remove_job(${key}::text)`;
}
