/** One request to the Management API, retried where that is safe. */
import { randomUUID } from 'node:crypto';
import type { EndpointAddress, ErrorCode, ErrorDetails } from './endpoints.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { fileIn } from './file.ts';

/** How long one attempt may take. Large bodies (audio, rate decks) get more time. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
const SLOWEST_UPLOAD_CHARS_PER_MS = 64;
export const MAX_ATTEMPTS = 4;
export const FIRST_RETRY_MS = 250;
/** If Retry-After is longer than this, the error is thrown with it, so that the caller can schedule the retry. */
export const MAX_RETRY_AFTER_SECONDS = 10;

export type Method = EndpointAddress['method'];
export type QueryValue = string | number | boolean | Date | null | undefined;

export interface RequestOptions {
  query?: Record<string, QueryValue>;
  /** POST only. Generated if omitted, so that a retry never takes effect twice. */
  idempotencyKey?: string;
  /** False: only one attempt. */
  retry?: boolean;
  /** Per attempt; 15 s by default, and more for a large body. */
  timeoutMs?: number;
  /** Aborts the request and its retries. The request may have taken effect. */
  signal?: AbortSignal;
}

export interface Connection {
  /** Without a trailing slash. */
  url: string;
  apiKey: string;
  userAgent: string;
  timeoutMs: number;
  maxAttempts: number;
  maxRetryAfterSeconds: number;
}

/** @throws ApiError, ConnectionError, or the reason of the caller's signal */
export async function send(
  connection: Connection,
  method: Method,
  path: string,
  body: unknown,
  options: RequestOptions = {},
): Promise<unknown> {
  const { signal, retry = true } = options;
  const address = addressOf(connection.url, path, options.query);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const uploadMs = Math.round((text?.length ?? 0) / SLOWEST_UPLOAD_CHARS_PER_MS);
  const timeoutMs = options.timeoutMs ?? connection.timeoutMs + uploadMs;
  let key = method === 'POST' ? (options.idempotencyKey ?? (retry ? randomUUID() : undefined)) : undefined;
  let perhapsDone = false;

  for (let attempt = 1; ; attempt += 1) {
    const last = !retry || attempt >= connection.maxAttempts;
    const outcome = await attemptOnce(
      address,
      { method, headers: headersOf(connection, text, key), ...(text !== undefined && { body: text }) },
      { timeoutMs, signal },
    );
    if ('value' in outcome) return outcome.value;
    const { error, replayed } = outcome;
    // A 404 for a retried DELETE means that an earlier attempt succeeded and its response was lost.
    if (method === 'DELETE' && perhapsDone && error instanceof ApiError && error.status === 404)
      return undefined;
    if (last || !isWorthRepeating(error, connection.maxRetryAfterSeconds)) throw error;
    if (error instanceof ConnectionError || error.status >= 500) perhapsDone = true;
    // The stored response of this key would be returned forever. Nothing took effect under it, so a new key is safe.
    if (replayed && options.idempotencyKey !== undefined) throw error;
    if (replayed) key = randomUUID();
    await pause(attempt, error instanceof ApiError ? error.retryAfterSeconds : undefined, signal);
  }
}

function addressOf(base: string, path: string, query: RequestOptions['query']): URL {
  const address = new URL(`${base}${path}`);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null)
      address.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value));
  return address;
}

const headersOf = (connection: Connection, text: string | undefined, key: string | undefined) => ({
  Authorization: `Bearer ${connection.apiKey}`,
  // Of a file, whatever its format: the query selects it.
  Accept: 'application/json, */*;q=0.1',
  'User-Agent': connection.userAgent,
  ...(text !== undefined && { 'Content-Type': 'application/json' }),
  ...(key !== undefined && { 'Idempotency-Key': key }),
});

type Outcome = { value: unknown } | { error: ApiError | ConnectionError; replayed: boolean };

async function attemptOnce(
  address: URL,
  request: RequestInit,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Outcome> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, {
      ...request,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      redirect: 'manual',
    });
    const file = response.ok ? await fileIn(response) : null;
    if (file) return { value: file };
    const text = await response.text();
    if (response.ok) return { value: text === '' ? undefined : (JSON.parse(text) as unknown) };
    const replayed = response.headers.get('Idempotent-Replayed') === 'true';
    return { error: apiErrorOf(response, text), replayed };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const message = limit.aborted
      ? `The service did not respond within ${timeoutMs} ms.`
      : 'The service could not be reached, or the response was interrupted.';
    return { error: new ConnectionError(message, cause), replayed: false };
  }
}

function isWorthRepeating(error: ApiError | ConnectionError, maxRetryAfterSeconds: number): boolean {
  if (error instanceof ConnectionError) return true;
  if ((error.retryAfterSeconds ?? 0) > maxRetryAfterSeconds) return false;
  return error.status >= 500 || error.status === 429 || error.code === 'idempotency_key_in_use';
}

function apiErrorOf({ status, headers }: Response, text: string): ApiError {
  const retryAfter = Number(headers.get('Retry-After') ?? Number.NaN);
  return new ApiError({
    status,
    // Not an error body of the API: from a proxy, a path that is not an endpoint, or an endpoint whose errors have no body.
    ...(errorIn(text) ?? {
      code: codeOfStatus[status] ?? 'internal_error',
      message: `The response has status ${status} without an error body of the API.`,
    }),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    requestId: headers.get('X-Request-Id') ?? undefined,
  });
}

const codeOfStatus: Record<number, ErrorCode> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'idempotency_key_in_use',
  413: 'invalid_request',
  422: 'idempotency_key_reused',
  429: 'rate_limited',
};

function errorIn(text: string): { code: string; message: string; details?: ErrorDetails } | null {
  try {
    const { error } = JSON.parse(text) as {
      error: { code: unknown; message: unknown; details?: ErrorDetails };
    };
    const { code, message, details } = error;
    if (typeof code !== 'string' || typeof message !== 'string') return null;
    return { code, message, ...(details && { details }) };
  } catch {
    return null;
  }
}

/** Exponential backoff with jitter, so that clients do not retry at the same time. */
function pause(
  attempt: number,
  retryAfterSeconds: number | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ms = Math.max(
    (retryAfterSeconds ?? 0) * 1000,
    FIRST_RETRY_MS * 2 ** (attempt - 1) * (1 + Math.random()),
  );
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', stop);
    function done() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('Aborted.'));
    }
  });
}
