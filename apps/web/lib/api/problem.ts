/** Maps errors to HTTP responses. An ApiError is returned as it is; any other error is logged and reveals no details. */
import { ApiError, errorTable } from '@clarion/protocol';
import type { ErrorCode } from '@clarion/protocol';
import type { Logger } from 'pino';

export const json = (status: number, text: string, headers?: Record<string, string>): Response =>
  new Response(text, {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });

export interface Problem {
  code: ErrorCode;
  status: number;
  text: string;
  headers: Record<string, string>;
}

/** A 4xx is part of the request's own log line; only failures are logged here. */
export function problemOf(error: unknown, requestId: string, log: Logger): Problem {
  if (error instanceof ApiError && error.code !== 'internal_error') {
    const { code, status, retryAfterSeconds } = error;
    if (status >= 500) log.error({ err: error }, 'a dependency is unavailable');
    return {
      code,
      status,
      text: JSON.stringify(error.toBody()),
      headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    };
  }
  log.error({ err: error }, 'request failed');
  const [status, sentence] = errorTable.internal_error;
  const code = 'internal_error';
  const message = `${sentence} Request ${requestId}.`;
  return { code, status, text: JSON.stringify({ error: { code, message } }), headers: {} };
}
