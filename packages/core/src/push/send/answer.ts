/** What is common to the answers of all push services. Pure. */
import type { PushResult } from '../push-message.ts';

/** An HTTP response. */
export interface Answer {
  status: number;
  /** The beginning of the body. */
  text: string;
  /** The header. */
  retryAfter?: string;
}

export type Retry = Extract<PushResult, { outcome: 'retry' }>;

/** No response is longer. More is not read. */
export const MAX_ANSWER_BYTES = 4096;
const REASON_MAX_CHARS = 120;
const RETRY_AFTER_MAX_MS = 3_600_000;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const REQUEST_TIMEOUT = 408;

/** Undefined: not JSON. */
export function parsedAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A provider's code or sentence, which is stored and shown: without control characters, and of limited length. */
export const reasonText = (text: string): string =>
  text
    .replaceAll(/[^\P{C}]+/gu, ' ')
    .trim()
    .slice(0, REASON_MAX_CHARS);

/** The provider gave no code. */
export const statusReason = (status: number): string => `HTTP_${status}`;

export const isBusy = (status: number): boolean =>
  status === TOO_MANY_REQUESTS || status === REQUEST_TIMEOUT || status >= SERVER_ERROR;

export function retryLater({ status, retryAfter }: Answer, reason: string, now: Date): Retry {
  const retryAfterMs = retryAfter === undefined ? null : readRetryAfter(retryAfter, now);
  return { outcome: 'retry', httpStatus: status, reason, ...(retryAfterMs !== null && { retryAfterMs }) };
}

/** Seconds or a date (RFC 9110, 10.2.3). Null: neither. */
function readRetryAfter(value: string, now: Date): number | null {
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}

/** The provider did not answer. */
export const unanswered = (reason: string): Retry => ({ outcome: 'retry', httpStatus: null, reason });

/** The message was not sent, because it could not succeed. */
export const notSendable = (reason: string): PushResult => ({ outcome: 'failed', httpStatus: null, reason });
