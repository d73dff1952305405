/** What the steps of a delivery hand to one another: claimed (claim-deliveries.ts), attempted, recorded. */
import type { Event, SqlPool } from '@clarion/db';
import type { Logger } from 'pino';
import type { Egress } from '../egress/guard.ts';
import type { SecretBox } from '../security/secret-box.ts';

export interface DeliveryContext {
  /** Plain SQL: an event that is delivered costs a handful of microseconds here, and the ORM would cost more than the delivery. */
  sql: SqlPool;
  secrets: SecretBox;
  egress: Egress;
  now: () => Date;
  log: Logger;
}

/** Where a consumer's events go, and the secrets that sign them, as they are at this moment. */
export interface Endpoint {
  webhookUrl: string | null;
  webhookSecretSealed: string | null;
  previousSecretSealed: string | null;
  previousSecretUntil: Date | null;
}

/** A pending event whose attempt is due, as it was loaded. */
export interface DueEvent extends Pick<
  Event,
  'eventId' | 'consumerId' | 'body' | 'attemptCount' | 'nextAttemptAt'
> {
  /** `Event.id`. */
  rowId: string;
  /** The job that brought it here. */
  jobId: string;
  /** Counts how often the job was put off: a run that comes late must not end the job that another run put off and holds again. */
  jobRevision: number;
  endpoint: Endpoint;
}

/** How an attempt went, as its row says it. */
export interface Attempt {
  at: Date;
  durationMs: number;
  /** HTTP status; null when no answer came. */
  status: number | null;
  error: string | null;
  responseSnippet: string | null;
}

/** `superseded`: another run of this attempt, or a redelivery, is in charge. `skipped`: nothing was to be sent. */
export type DeliveryOutcome = 'delivered' | 'retrying' | 'failed' | 'discarded' | 'superseded' | 'skipped';
