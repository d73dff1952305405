/** Types shared by the steps of a delivery: claimed (claim-deliveries.ts), attempted, recorded. */
import type { Event, EventDelivery, SqlPool } from '@clarion/db';
import type { Logger } from 'pino';
import type { Egress } from '../egress/guard.ts';
import type { SecretBox } from '../security/secret-box.ts';

export interface DeliveryContext {
  /** Plain SQL: an event takes a few microseconds here, and the ORM would cost more than the delivery itself. */
  sql: SqlPool;
  secrets: SecretBox;
  egress: Egress;
  now: () => Date;
  log: Logger;
}

/** Where a consumer's events are sent, and the secrets that sign them, as currently set. */
export interface Endpoint {
  webhookUrl: string | null;
  webhookSecretSealed: string | null;
  previousSecretSealed: string | null;
  previousSecretUntil: Date | null;
}

/** A delivery as claimed by a worker. */
export interface ClaimedDelivery {
  /** `Event.id`. */
  rowId: string;
  /** A late run must not end a delivery that was claimed again, or requested again, meanwhile. */
  revision: number;
}

/** A pending event whose attempt is due, as loaded. */
export interface DueEvent
  extends
    ClaimedDelivery,
    Pick<Event, 'eventId' | 'consumerId' | 'body'>,
    Pick<EventDelivery, 'attemptCount' | 'dueAt'> {
  endpoint: Endpoint;
}

/** The result of an attempt, as stored in its row. */
export interface Attempt {
  at: Date;
  durationMs: number;
  /** HTTP status; null if there was no response. */
  status: number | null;
  error: string | null;
  responseSnippet: string | null;
}

/** `superseded`: another run of this attempt, or a redelivery, has changed the event. `skipped`: there was nothing to send. */
export type DeliveryOutcome = 'delivered' | 'retrying' | 'failed' | 'discarded' | 'superseded' | 'skipped';
