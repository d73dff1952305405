/**
 * Every background job: name → payload. A task in apps/worker runs each. A thrown error means a bug, so the retries here are only for
 * crashes. Schedules that belong to a contract (the webhook retry list) are part of the task.
 */
import { z } from 'zod';

export const jobs = {
  /** Deletes a file whose row has been deleted. */
  'remove-file': z.object({ provider: z.enum(['local', 's3']), key: z.string() }),
  /** Marks recordings as failed that will not arrive any more. */
  'sweep-recordings': z.object({}),
  /** Deletes recordings that are older than their tenant's retention. */
  'retain-recordings': z.object({}),
  /** Deletes media facts that failed long ago. */
  'prune-failed-facts': z.object({}),
  /** Deletes rejected calls that are older than the period of a trunk's diagnostics. */
  'prune-refusals': z.object({}),
  /** Deletes SIP ladders that are older than a week. */
  'prune-ladders': z.object({}),
  /** Deletes push notifications that are older than a day. */
  'prune-pushes': z.object({}),
  /** Announces balances that charges have made low. */
  'announce-low-balances': z.object({}),
  /** Makes the invoices of the months that have ended. */
  'invoice-months': z.object({}),
  /** Blocks or suspends accounts with overdue invoices. */
  'block-overdue-accounts': z.object({}),
  /** Records what is charged by the day. */
  'record-daily-usage': z.object({}),
  /** An email whose text is in its row. */
  'send-mail': z.object({ mailId: z.number().int() }),
  /** Asks a WhatsApp customer to allow calls. */
  'send-permission-request': z.object({ permissionId: z.number().int(), text: z.string() }),
  /** Deletes permissions of WhatsApp customers, and their calls at Meta, that were last used long ago. */
  'prune-whatsapp': z.object({}),
} as const satisfies Record<string, z.ZodType>;

export type JobName = keyof typeof jobs;
export type JobPayload<N extends JobName> = z.infer<(typeof jobs)[N]>;

export interface JobOptions {
  runAt?: Date;
  /** A later job with the same key replaces this one. */
  key?: string;
  /** Jobs of one named queue run one after another. */
  queueName?: string;
  /** Among due jobs, the one with the smaller number runs first; 0 if omitted. */
  priority?: number;
  /** A worker with enough running jobs of a flag skips others with that flag. */
  flags?: string[];
}

/** Attempts of a job whose task throws. */
export const MAX_JOB_ATTEMPTS = 25;
