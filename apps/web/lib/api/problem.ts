/** Errors → answers. The one HTTP mapper: an ApiError says what it is, anything else is logged and says nothing. */
import { ApiError, errorTable } from '@clarion/protocol';
import type { Logger } from 'pino';

export const json = (status: number, text: string, headers?: Record<string, string>): Response =>
  new Response(text, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });

export interface Problem {
  status: number;
  text: string;
  headers: Record<string, string>;
}

export function problemOf(error: unknown, requestId: string, log: Logger): Problem {
  if (error instanceof ApiError && error.status < 500) {
    return {
      status: error.status,
      text: JSON.stringify(error.toBody()),
      headers:
        error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) },
    };
  }
  if (error instanceof ApiError && error.code !== 'internal_error') {
    log.error({ err: error }, 'a dependency is missing');
    return { status: error.status, text: JSON.stringify(error.toBody()), headers: {} };
  }
  log.error({ err: error }, 'a request failed');
  const [status, sentence] = errorTable.internal_error;
  const message = `${sentence} Request ${requestId}.`;
  return { status, text: JSON.stringify({ error: { code: 'internal_error', message } }), headers: {} };
}
