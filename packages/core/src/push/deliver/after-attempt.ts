/** What becomes of a push notification after an attempt. Pure. */
import type { PushStatus } from '@clarion/db';
import type { PushResult } from '../push-message.ts';

/** A call rings for tens of seconds, so retries are quick and few. One that would be due after the notification expires is not made. */
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000] as const;
export const MAX_PUSH_ATTEMPTS = RETRY_MS.length + 1;

/** Status codes and reasons as stored. Reasons are the provider's own, so their length is limited. */
const REASON_MAX_CHARS = 200;

export interface Outcome {
  status: Extract<PushStatus, 'SENT' | 'REJECTED' | 'FAILED'>;
  /** The next attempt, unless the notification expires before it. Null: none. */
  retryInMs: number | null;
  httpStatus: number | null;
  reason: string | null;
}

/** @param attempts how many were made before this one */
export function outcomeOf(result: PushResult, attempts: number): Outcome {
  const { httpStatus } = result;
  if (result.outcome === 'sent') return { status: 'SENT', retryInMs: null, httpStatus, reason: null };
  const reason = storable(result.reason);
  switch (result.outcome) {
    case 'rejected':
      return { status: 'REJECTED', retryInMs: null, httpStatus, reason };
    case 'failed':
      return { status: 'FAILED', retryInMs: null, httpStatus, reason };
    case 'retry': {
      const backoffMs = RETRY_MS[attempts];
      const retryInMs = backoffMs === undefined ? null : Math.max(backoffMs, result.retryAfterMs ?? 0);
      return { status: 'FAILED', retryInMs, httpStatus, reason };
    }
  }
}

/** PostgreSQL text cannot contain NUL. */
const storable = (reason: string) => reason.replaceAll('\0', '').slice(0, REASON_MAX_CHARS);
