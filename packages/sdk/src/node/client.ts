/** The Management API for a backend: one method per endpoint of the registry, and a plain `request` under them. */
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { ApiError, errorTable, type ErrorCode, type ErrorDetails } from '@clarion/protocol/errors';
import type { EndpointDefinition, PathParams } from '@clarion/protocol/v1/endpoint';
import { registry, type EndpointName, type Registry } from '@clarion/protocol/v1/registry';

/** How long one attempt may take. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
export const MAX_ATTEMPTS = 4;
export const FIRST_RETRY_MS = 250;
/** A longer Retry-After is the caller's to plan with: the error carries it. */
export const MAX_RETRY_AFTER_SECONDS = 10;

export type Method = EndpointDefinition['method'];

export interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined>;
  /** POST only; one is made up when absent, so that a repeated attempt never does a thing twice. */
  idempotencyKey?: string;
  /** False: one attempt. */
  retry?: boolean;
  signal?: AbortSignal;
}

export interface ClientOptions {
  /** The service's base URL. */
  url: string;
  /** `ck_…` */
  apiKey: string;
}

type QueryOf<E extends EndpointDefinition> = E extends { query: infer Q extends z.ZodType }
  ? z.input<Q>
  : never;
type BodyOf<E extends EndpointDefinition> = E extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : never;
export type AnswerOf<N extends EndpointName> = Registry[N]['answer'] extends {
  body: infer A extends z.ZodType;
}
  ? z.output<A>
  : undefined;

/** What an endpoint asks for: only the parts that it has. */
export type InputOf<N extends EndpointName> = (keyof PathParams<Registry[N]['path']> extends never
  ? { path?: never }
  : { path: { [P in keyof PathParams<Registry[N]['path']>]: string | number } }) &
  ([QueryOf<Registry[N]>] extends [never] ? object : { query?: QueryOf<Registry[N]> }) &
  ([BodyOf<Registry[N]>] extends [never] ? object : { body: BodyOf<Registry[N]> }) &
  Omit<RequestOptions, 'query'>;

export type EndpointMethods = { [N in EndpointName]: (input: InputOf<N>) => Promise<AnswerOf<N>> };

export interface ClarionClient extends EndpointMethods {
  /**
   * Any path of the API. Repeats what is safe to repeat after a lost connection, a 429 or a 5xx.
   * @throws ApiError what the service answered; ConnectionError when it could not be reached
   */
  request<T>(method: Method, path: string, body?: unknown, options?: RequestOptions): Promise<T>;
}

/** The service could not be reached, or did not answer in time. */
export class ConnectionError extends Error {
  constructor(cause: unknown) {
    super('The service could not be reached.', { cause });
    this.name = 'ConnectionError';
  }
}

export function createClient(options: ClientOptions): ClarionClient {
  const request = <T>(method: Method, path: string, body?: unknown, more: RequestOptions = {}): Promise<T> =>
    requestWithRetries(options, method, path, body, more) as Promise<T>;
  const names = Object.keys(registry) as EndpointName[];
  const methods: Partial<Record<EndpointName, (input: EndpointCall) => Promise<unknown>>> = {};
  for (const name of names) methods[name] = (input) => callEndpoint(request, registry[name], input);
  // The registry's schemas are the types of both sides.
  return { ...(methods as EndpointMethods), request };
}

interface EndpointCall extends RequestOptions {
  path?: Record<string, string | number>;
  body?: unknown;
}

function callEndpoint(request: ClarionClient['request'], endpoint: EndpointDefinition, input: EndpointCall) {
  const { path = {}, body, ...more } = input;
  const address = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    if (value === undefined) throw new TypeError(`${endpoint.path} needs ${name}.`);
    return encodeURIComponent(value);
  });
  // An answer that shows a secret is not kept for a repeat, so a repeat would make a second secret.
  const retry = more.retry ?? endpoint.neverReplayed !== true;
  return request(endpoint.method, address, body, { ...more, retry });
}

async function requestWithRetries(
  { url, apiKey }: ClientOptions,
  method: Method,
  path: string,
  body: unknown,
  { query, idempotencyKey, retry = true, signal }: RequestOptions,
): Promise<unknown> {
  const address = new URL(path, url);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) address.searchParams.set(name, String(value));
  const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (method === 'POST' && (retry || idempotencyKey !== undefined))
    headers['Idempotency-Key'] = idempotencyKey ?? randomUUID();

  for (let attempt = 1; ; attempt += 1) {
    const last = !retry || attempt >= MAX_ATTEMPTS;
    try {
      const limit = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
      const response = await fetch(address, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        redirect: 'error',
      });
      const text = await response.text();
      if (response.ok) return text === '' ? undefined : (JSON.parse(text) as unknown);
      const error = apiErrorOf(response, text);
      if (last || !isWorthRepeating(error)) throw error;
      await wait(attempt, error.retryAfterSeconds, signal);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal?.aborted) throw signal.reason;
      if (last) throw new ConnectionError(error);
      await wait(attempt, undefined, signal);
    }
  }
}

function isWorthRepeating({ status, code, retryAfterSeconds = 0 }: ApiError): boolean {
  if (retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) return false;
  return status >= 500 || status === 429 || code === 'idempotency_key_in_use';
}

function apiErrorOf(response: Response, text: string): ApiError {
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {};
  const known = errorIn(text);
  if (!known) {
    // Not the API's own shape: a proxy in between, or a path that is no endpoint.
    const code = response.status === 404 ? 'not_found' : 'internal_error';
    return new ApiError(code, { status: response.status, ...retryAfterSeconds });
  }
  const { code, message, details } = known;
  return new ApiError(code, {
    status: response.status,
    message,
    ...(details ? { details } : {}),
    ...retryAfterSeconds,
  });
}

function errorIn(text: string): { code: ErrorCode; message: string; details?: ErrorDetails } | null {
  try {
    const { error } = JSON.parse(text) as {
      error: { code: ErrorCode; message: string; details?: ErrorDetails };
    };
    return error.code in errorTable ? error : null;
  } catch {
    return null;
  }
}

function wait(
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
