/**
 * The Management API for account tools. Every call is a request to a handler of /v1 in this process, with the caller's own key: the
 * same scoping, validation, limits, errors and idempotency as over HTTP (docs/requirements.md#assistant-endpoint, 1).
 */
import type { EndpointName } from '@clarion/protocol/v1/registry';
import { consumerBucket } from '../api/rate-limit.ts';
import { runtime } from '../api/runtime.ts';
import { markSurface } from '../api/surface.ts';
import { endpointOf, unknownEndpointMessage } from './endpoint-of.ts';
import type { Method } from './endpoint-of.ts';
import { ToolFailure } from './tool-result.ts';

export interface ApiAnswer {
  status: number;
  body: unknown;
  retryAfterSeconds?: number;
}

export interface ApiRequest {
  method: Method;
  /** `/v1/…`, with or without a query. */
  path: string;
  query?: Record<string, string | number | boolean> | undefined;
  body?: unknown;
  idempotencyKey?: string | undefined;
}

/** The handlers of /v1 by endpoint, passed in because this folder must not import routes. */
export type ApiHandlers = Record<EndpointName, (request: Request) => Promise<Response>>;

export interface Account {
  authorization: string;
  /** @throws ToolFailure when the path is outside /v1 or not an endpoint */
  request(request: ApiRequest): Promise<ApiAnswer>;
  /** Counts a tool call that makes no request: each one counts towards the account's limit (docs/requirements.md#limits). */
  count(): Promise<void>;
}

/** Only the path and query are used, so that nothing outside this service's /v1 can be requested. */
const HERE = 'http://clarion.invalid';

export function addressOf(path: string, query: ApiRequest['query'] = {}): URL {
  const url = URL.canParse(path, HERE) && path.startsWith('/') ? new URL(path, HERE) : null;
  if (url?.origin !== HERE || !/^\/v1(\/|$)/.test(url.pathname)) {
    throw new ToolFailure(`The path must begin with /v1/, but was ${JSON.stringify(path)}.`);
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  url.hash = '';
  return url;
}

export function accountOf(authorization: string, handlers: ApiHandlers): Account {
  return {
    authorization,
    count: () => countUnanswered(authorization),
    async request({ method, path, query, body, idempotencyKey }) {
      const url = addressOf(path, query);
      const name = endpointOf(method, url.pathname);
      if (name === null) {
        await countUnanswered(authorization);
        throw new ToolFailure(unknownEndpointMessage(method, url.pathname));
      }
      const request = new Request(url, {
        method,
        headers: {
          authorization,
          'content-type': 'application/json',
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
      });
      markSurface(request, 'mcp');
      return answerOf(await handlers[name](request), `${method} ${url.pathname}${url.search}`);
    },
  };
}

async function answerOf(response: Response, request: string): Promise<ApiAnswer> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type !== '' && !type.startsWith('application/json'))
    return fileOf(response, type, request);
  const text = await response.text();
  const retryAfter = response.headers.get('retry-after');
  return {
    status: response.status,
    body: text === '' ? null : (JSON.parse(text) as unknown),
    ...(retryAfter !== null && { retryAfterSeconds: Number(retryAfter) }),
  };
}

/** A text file is returned as text. An assistant cannot read any other file, so it is told how a person gets it. */
async function fileOf(response: Response, type: string, request: string): Promise<ApiAnswer> {
  if (type.startsWith('text/')) return { status: response.status, body: await response.text() };
  await response.body?.cancel();
  const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'file';
  throw new ToolFailure(
    `The response is a binary file (${type}, ${name}), which this tool cannot show. It can be downloaded with an API key: ${request} at ${runtime().settings.baseUrl}.`,
  );
}

/** Counted too, so that guessing paths does not bypass the limit. */
async function countUnanswered(authorization: string): Promise<void> {
  const run = runtime();
  const { consumer } = await run.authenticator.authenticate(authorization);
  await run.rateLimiter.take(consumerBucket(consumer.id), run.now());
}
