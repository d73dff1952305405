/**
 * Requests of the dashboard's pages to the Management API, from the browser with the session cookie. The compiler checks methods and
 * paths against the registry; the registry itself is not sent to the browser.
 */
import type { ErrorCode, ErrorDetails } from '@clarion/protocol/errors';
import type { EndpointDefinition, PathParams } from '@clarion/protocol/v1/endpoint';
import type { EndpointName, Registry } from '@clarion/protocol/v1/registry';
import type { z } from 'zod';
import { SESSION_HEADER } from '../api/session-header.ts';

type AnyEndpoint = Registry[EndpointName];
export type Method = AnyEndpoint['method'];
/** The paths of a method. */
export type PathOf<M extends Method> = Extract<AnyEndpoint, { method: M }>['path'];
type EndpointAt<M extends Method, P extends string> = Extract<AnyEndpoint, { method: M; path: P }>;

type Part<Name extends string, T> = [T] extends [never]
  ? { [N in Name]?: never }
  : object extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T };
type PathInput<E extends EndpointDefinition> = keyof PathParams<E['path']> extends never
  ? never
  : { [K in keyof PathParams<E['path']>]: string | number };
type QueryInput<E> = E extends { query: infer Q extends z.ZodType } ? z.input<Q> : never;
type BodyInput<E> = E extends { body: infer B extends z.ZodType } ? z.input<B> : never;

/** The input of an endpoint: only the parts that it has. */
export type Input<M extends Method, P extends string> = Part<'path', PathInput<EndpointAt<M, P>>> &
  Part<'query', QueryInput<EndpointAt<M, P>>> &
  Part<'body', BodyInput<EndpointAt<M, P>>>;
/** Its response. */
export type Answer<M extends Method, P extends string> = EndpointAt<M, P>['answer'] extends {
  body: infer B extends z.ZodType;
}
  ? z.output<B>
  : undefined;

/** An error response, or no response (`status` 0). */
export class RequestProblem extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'unreachable';
  readonly details: ErrorDetails | undefined;
  readonly requestId: string | null;

  constructor(
    message: string,
    facts: {
      status: number;
      code: RequestProblem['code'];
      details?: ErrorDetails | undefined;
      requestId?: string | null;
    },
  ) {
    super(message);
    this.name = 'RequestProblem';
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details;
    this.requestId = facts.requestId ?? null;
  }

  /** For a form: the message by its field; empty if the error has no field. */
  get fieldErrors(): Record<string, string> {
    const field = this.details?.field;
    return field === undefined ? {} : { [field]: this.message };
  }
}

/** Options of the request. */
export interface SendOptions {
  signal?: AbortSignal;
  /** For a POST: a repeat with the same key runs it only once. */
  idempotencyKey?: string;
}

interface LooseInput {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** @throws RequestProblem */
export async function request<M extends Method, P extends string>(
  method: M,
  path: P & PathOf<M>,
  input: Input<M, P>,
  options: SendOptions = {},
): Promise<Answer<M, P>> {
  const response = await send(method, path, input as LooseInput, options);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Answer<M, P>;
}

/** The file that an endpoint returns, for example an export. @throws RequestProblem */
export async function requestFile<P extends PathOf<'GET'>>(
  path: P,
  input: Input<'GET', P>,
): Promise<{ name: string; content: Blob }> {
  const response = await send('GET', path, input as LooseInput, {});
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  return { name: name ?? 'download', content: await response.blob() };
}

/** @throws RequestProblem also for an error response */
async function send(
  method: Method,
  path: string,
  input: LooseInput,
  { signal, idempotencyKey }: SendOptions,
): Promise<Response> {
  const { body } = input;
  const response = await reach(addressOf(path, input), {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      accept: 'application/json',
      [SESSION_HEADER]: '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw problemOf(response, await response.text());
  return response;
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new RequestProblem('The service could not be reached. Check the connection and try again.', {
      status: 0,
      code: 'unreachable',
    });
  }
}

/** The path with its fields replaced, and the query. */
export function addressOf(path: string, { path: fields = {}, query = {} }: LooseInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(fields[name] ?? '');
    // URLs resolve these as relative segments, encoded or not: the request would have another path.
    if (value === '' || value === '.' || value === '..') throw new TypeError(`${path} needs ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    search.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function problemOf(response: Response, text: string): RequestProblem {
  const requestId = response.headers.get('x-request-id');
  const { status } = response;
  try {
    const { error } = JSON.parse(text) as {
      error: { code: ErrorCode; message: string; details?: ErrorDetails };
    };
    return new RequestProblem(error.message, { status, code: error.code, details: error.details, requestId });
  } catch {
    return new RequestProblem(`The service responded with status ${status}.`, {
      status,
      code: 'internal_error',
      requestId,
    });
  }
}
