/**
 * Every background job: name → payload. A task in apps/worker carries out each; a thrown task means a bug, so the retries here
 * are only for crashes. Schedules that belong to a contract (the webhook retry list) are the task's own.
 */
import { z } from 'zod';

export const jobs = {
  /** One delivery attempt of one event. */
  'deliver-event': z.object({ eventId: z.uuid() }),
  /** Finds pending events that no job leads to any more. */
  'sweep-events': z.object({}),
  /** A file whose row is gone already. */
  'remove-file': z.object({ provider: z.enum(['local', 's3']), key: z.string() }),
  /** Gives up recordings that nobody will bring any more. */
  'sweep-recordings': z.object({}),
  /** Deletes recordings that are older than their tenant keeps them. */
  'retain-recordings': z.object({}),
  /** Deletes refused calls older than the period that a trunk's diagnostics cover. */
  'prune-refusals': z.object({}),
  /** A mail whose text is in its row. */
  'send-mail': z.object({ mailId: z.number().int() }),
} as const satisfies Record<string, z.ZodType>;

export type JobName = keyof typeof jobs;
export type JobPayload<N extends JobName> = z.infer<(typeof jobs)[N]>;

export interface JobOptions {
  runAt?: Date;
  /** A later job with the same key takes this one's place. */
  key?: string;
  /** Jobs of one named queue run one after another. */
  queueName?: string;
  /** Of the jobs that are due, the smaller number runs first; 0 when omitted. */
  priority?: number;
  /** A worker that has enough of a flag's jobs running leaves others with that flag alone. */
  flags?: string[];
}

/** Attempts of a job whose task throws. */
export const MAX_JOB_ATTEMPTS = 25;
