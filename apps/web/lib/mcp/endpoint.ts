/** `/mcp`: the server over Streamable HTTP, with the checks of every request (docs/requirements.md#assistant-endpoint). */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { ApiError, malformed } from '@clarion/protocol';
import { MAX_BODY_BYTES } from '@clarion/protocol/v1/endpoint';
import { assertJsonWithinLimits, MAX_JSON_VALUES, readBody } from '../api/body.ts';
import { clientAddress } from '../api/client-address.ts';
import { json } from '../api/problem.ts';
import { mcpAddressBucket } from '../api/rate-limit.ts';
import type { Bucket } from '../api/rate-limit.ts';
import { runtime } from '../api/runtime.ts';
import { docs } from '../docs.ts';
import type { ApiHandlers } from './account.ts';
import { callerOf } from './caller.ts';
import { createMcpServer } from './server.ts';

interface MessageLimits {
  bytes: number;
  /** Values in one JSON body. */
  values: number;
  /** Messages in one batch (JSON-RPC 2.0 section 6). The MCP library accepts at most a hundred. */
  messages: number;
}
/** The largest body of /v1 inside a JSON-RPC envelope. */
const LIMITS_WITH_KEY: MessageLimits = {
  bytes: MAX_BODY_BYTES + 64 * 1024,
  values: MAX_JSON_VALUES,
  messages: 100,
};
/** For clients without a valid key: much more than calls of the docs tools need. */
const LIMITS_WITHOUT_KEY: MessageLimits = { bytes: 64 * 1024, values: 1000, messages: 10 };
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

type Handler = ReturnType<typeof createMcpHandler>;

/** @param handlers of /v1, which the account tools call */
export function createMcpEndpoint(handlers: ApiHandlers): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const authorization = requestInfo?.headers.get('authorization') ?? null;
      return createMcpServer(docs(), authorization === null ? null : () => callerOf(authorization, handlers));
    },
    {
      maxRequestBodySize: LIMITS_WITH_KEY.bytes,
      // Most are malformed requests; failures on our side are among them and result in 500.
      onerror: (err) => runtime().log.warn({ err }, 'assistant request rejected'),
    },
  );
  return (request) => serve(handler, request);
}

async function serve(handler: Handler, request: Request): Promise<Response> {
  const run = runtime();
  if (!isOurOrigin(request.headers.get('origin'), run.env.CLARION_BASE_URL)) {
    return refusal(
      new ApiError('forbidden', { message: 'This origin is not allowed to use the assistant endpoint.' }),
    );
  }
  const bucket = mcpAddressBucket(clientAddress(request, run.env));
  try {
    await count(bucket);
    const response =
      request.method === 'POST'
        ? await answerMessages(handler, request, bucket)
        : await handler.fetch(request);
    const headers = new Headers(response.headers);
    headers.set('cache-control', 'no-store');
    return new Response(response.body, { status: response.status, headers });
  } catch (error) {
    if (error instanceof ApiError) return refusal(error);
    throw error;
  }
}

/** @throws rate_limited when the client address exceeds its requests per minute */
async function count(bucket: Bucket): Promise<void> {
  const run = runtime();
  const now = run.now();
  const { allowed, resetAt } = await run.rateLimiter.take(bucket, now);
  if (allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000));
  throw new ApiError('rate_limited', { retryAfterSeconds });
}

/** Checks the limits before the MCP library parses anything. Each message of a batch counts as a request. */
async function answerMessages(handler: Handler, request: Request, bucket: Bucket): Promise<Response> {
  const { url, method, headers, signal } = request;
  const limits = (await hasValidKey(headers)) ? LIMITS_WITH_KEY : LIMITS_WITHOUT_KEY;
  const body = await readBody(request, limits.bytes);
  assertJsonWithinLimits(body, limits.values);
  const parsedBody = parsedOrUndefined(body);
  const messages = Array.isArray(parsedBody) ? parsedBody.length : 1;
  if (messages > limits.messages) throw malformed(`The batch has more than ${limits.messages} messages.`);
  for (let further = 1; further < messages; further += 1) await count(bucket);
  return handler.fetch(new Request(url, { method, headers, signal, body }), { parsedBody });
}

async function hasValidKey(headers: Headers): Promise<boolean> {
  const authorization = headers.get('authorization');
  if (authorization === null) return false;
  try {
    await runtime().authenticator.authenticate(authorization);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized') return false;
    throw error;
  }
}

/** The MCP library answers undefined with a parse error (JSON-RPC 2.0 section 5.1). */
function parsedOrUndefined(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Another site's page must not reach a service on its visitor's machine (DNS rebinding). */
export function isOurOrigin(origin: string | null, baseUrl: string): boolean {
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  const [theirs, ours] = [new URL(origin), new URL(baseUrl)];
  if (theirs.host === ours.host) return true;
  return LOOPBACK.has(ours.hostname) && LOOPBACK.has(theirs.hostname) && theirs.port === ours.port;
}

function refusal(error: ApiError): Response {
  const { retryAfterSeconds } = error;
  return json(
    error.status,
    JSON.stringify(error.toBody()),
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  );
}
