/** `/mcp`: Streamable HTTP around the server, with what must be true of every request (spec, Limits and Assistant endpoint). */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { ApiError } from '@clarion/protocol';
import { MAX_BODY_BYTES } from '@clarion/protocol/v1/endpoint';
import { readBytes } from '../api/body.ts';
import { clientAddress } from '../api/client-address.ts';
import { json } from '../api/problem.ts';
import { mcpAddressBucket } from '../api/rate-limit.ts';
import type { Bucket } from '../api/rate-limit.ts';
import { runtime } from '../api/runtime.ts';
import { docs } from '../docs.ts';
import { createMcpServer } from './server.ts';

/** The largest body of /v1 inside a JSON-RPC envelope. */
const MAX_MESSAGE_BYTES = MAX_BODY_BYTES + 64 * 1024;
/** The protocol's code refuses longer batches than this whole. */
const MAX_COUNTED = 100;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const handler = createMcpHandler(
  ({ requestInfo }) => createMcpServer(docs(), requestInfo?.headers.get('authorization') ?? null),
  {
    maxRequestBodySize: MAX_MESSAGE_BYTES,
    // Most are requests that are not well-formed; what is broken on our side is among them, and answered with 500.
    onerror: (err) => runtime().log.warn({ err }, 'an assistant request was refused'),
  },
);

export async function serveMcp(request: Request): Promise<Response> {
  const run = runtime();
  if (!isOurOrigin(request.headers.get('origin'), run.env.CLARION_BASE_URL)) {
    return refusal(
      new ApiError('forbidden', { message: 'This origin may not speak to the assistant endpoint.' }),
    );
  }
  const bucket = mcpAddressBucket(clientAddress(request, run.env));
  try {
    await count(bucket);
    const given = request.method === 'POST' ? await readMessages(request) : { request, messages: 1 };
    for (let further = 1; further < given.messages; further += 1) await count(bucket);
    const response = await handler.fetch(given.request);
    const headers = new Headers(response.headers);
    headers.set('cache-control', 'no-store');
    return new Response(response.body, { status: response.status, headers });
  } catch (error) {
    if (error instanceof ApiError) return refusal(error);
    throw error;
  }
}

/** @throws rate_limited past the address's requests of this minute */
async function count(bucket: Bucket): Promise<void> {
  const run = runtime();
  const now = run.now();
  const { allowed, resetAt } = await run.rateLimiter.take(bucket, now);
  if (allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000));
  throw new ApiError('rate_limited', { retryAfterSeconds });
}

/** Older clients may send a batch (JSON-RPC 2.0 section 6): each message in it is a request, or a limit of requests says nothing. */
async function readMessages(request: Request): Promise<{ request: Request; messages: number }> {
  const body = await readBytes(request, MAX_MESSAGE_BYTES);
  const { url, method, headers, signal } = request;
  return {
    request: new Request(url, { method, headers, signal, body: new Uint8Array(body) }),
    messages: messagesIn(body),
  };
}

/** One unless it is a list; what cannot be read is refused by the protocol's own code. */
function messagesIn(body: Buffer): number {
  const text = body.toString('utf8').trimStart();
  if (!text.startsWith('[')) return 1;
  try {
    const batch: unknown = JSON.parse(text);
    return Array.isArray(batch) ? Math.min(batch.length, MAX_COUNTED) : 1;
  } catch {
    return 1;
  }
}

/** A page of another site in a visitor's browser must not reach a service on the visitor's own machine (DNS rebinding). */
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
