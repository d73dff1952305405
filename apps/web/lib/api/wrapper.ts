/**
 * What stands around every verb of /v1, in order: authenticate → suspended? → rate limit → allowed? → body size → idempotency →
 * parse → verb → present → record. A route file says only which endpoint it is and which verb answers it.
 */
import { randomUUID } from 'node:crypto';
import { commitPrepared } from '@clarion/core/prepared';
import type { Prepared } from '@clarion/core/prepared';
import { retryingTransaction } from '@clarion/core/retry-on-conflict';
import type { Ctx } from '@clarion/core/context';
import { ApiError, malformed, rateLimited } from '@clarion/protocol';
import type { ErrorCode } from '@clarion/protocol';
import { MAX_BODY_BYTES } from '@clarion/protocol/v1/endpoint';
import type { EndpointAnswer, EndpointDefinition, EndpointInput } from '@clarion/protocol/v1/endpoint';
import { fieldError } from '@clarion/protocol/v1/fields/field-error';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName, Registry } from '@clarion/protocol/v1/registry';
import { z } from 'zod';
import { parseJson, readBody } from './body.ts';
import { assertAllowed, callerOf } from './caller.ts';
import type { ApiCaller } from './caller.ts';
import { contextOf } from './context.ts';
import { metrics } from '../metrics.ts';
import { claimKey, readKey, releaseKey, requestHashes, storeAnswer } from './idempotency.ts';
import type { Claim, StoredAnswer } from './idempotency.ts';
import { readPath } from './path.ts';
import { json, problemOf } from './problem.ts';

import type { Allowance } from './rate-limit.ts';
import { runtime } from './runtime.ts';
import type { Runtime } from './runtime.ts';

/** Answers one endpoint. Returns what the resource schema of the registry says; undefined where the answer is empty. */
export type EndpointVerb<N extends EndpointName> = (
  ctx: Ctx,
  input: EndpointInput<Registry[N]>,
) => Promise<EndpointAnswer<Registry[N]>>;

export const endpoint = <N extends EndpointName>(name: N, verb: EndpointVerb<N>) =>
  preparedEndpoint(name, async (_, input) => ({
    commit: (ctx) => verb(ctx, input),
    discard: async () => undefined,
  }));

/** For a verb whose first half must not hold the transaction that keeps its answer under an Idempotency-Key. */
export function preparedEndpoint<N extends EndpointName>(
  name: N,
  prepare: (ctx: Ctx, input: EndpointInput<Registry[N]>) => Promise<Prepared<EndpointAnswer<Registry[N]>>>,
) {
  const definition: EndpointDefinition = registry[name];
  const perform: Perform = async (root, request) => {
    // The registry's schemas made the input, so it has the registry's types.
    const input = parseInput(definition, request) as EndpointInput<Registry[N]>;
    const prepared = await prepare(root, input);
    return {
      async commit(ctx) {
        const answer = await prepared.commit(ctx);
        const text = answer === undefined ? '' : JSON.stringify(answer);
        // Only a POST's answer is ever stored.
        const callId = definition.method === 'POST' ? shownCall(answer) : null;
        return { status: definition.answer.status, text, callId };
      },
      discard: () => prepared.discard(),
    };
  };
  return (request: Request): Promise<Response> => answerTo(name, definition, request, perform);
}

interface Received {
  url: URL;
  body: string;
}
type Perform = (ctx: Ctx, request: Received) => Promise<Prepared<StoredAnswer>>;

async function answerTo(
  name: string,
  definition: EndpointDefinition,
  request: Request,
  perform: Perform,
): Promise<Response> {
  const run = runtime();
  const startedAt = performance.now();
  const requestId = randomUUID();
  const log = lazily(() => run.log.child({ requestId, endpoint: name }));
  const headers: Record<string, string> = { 'x-request-id': requestId };
  let consumerId: number | undefined;
  const record = (status: number, { code, replayed = false }: { code?: ErrorCode; replayed?: boolean }) => {
    const durationMs = performance.now() - startedAt;
    metrics().answered({ endpoint: name, status, durationMs, replayed });
    const line = { status, code, consumerId, durationMs: Math.round(durationMs) };
    // A change is worth a line; reading and being refused are for whoever follows one request.
    const changed = definition.method !== 'GET' && status < 300;
    const level = changed ? 'info' : 'debug';
    if (run.log.isLevelEnabled(level)) log()[level](line, 'request completed');
  };
  try {
    const caller = await callerOf(run, request);
    const { consumer, actor, surface, session } = caller;
    consumerId = consumer.id;
    if (consumer.status === 'SUSPENDED') throw new ApiError('consumer_suspended');
    const now = run.now();
    await countRequest(run, caller, now, headers);
    assertAllowed(caller, definition);
    const received = {
      url: new URL(request.url),
      body: takesBody(definition) ? await readBody(request, definition.maxBodyBytes ?? MAX_BODY_BYTES) : '',
    };
    const ctx = contextOf(run, { consumer, actor, surface, ...(session && { session }) }, { log, now });
    const { status, text, replayed } = await performOnce(run, ctx, definition, request, received, perform);
    // Keys, the webhook, people and their sessions: other processes are told, and this one knows at once.
    if ((definition.role === 'own' || definition.sessionOnly) && definition.method !== 'GET') {
      run.authenticator.forgetConsumer(consumer.id);
      run.sessions.forgetConsumer(consumer.id);
    }
    if (replayed) headers['idempotent-replayed'] = 'true';
    record(status, { replayed });
    return text === '' ? new Response(null, { status, headers }) : json(status, text, headers);
  } catch (error) {
    const problem = problemOf(error, requestId, log());
    record(problem.status, { code: problem.code });
    return json(problem.status, problem.text, { ...headers, ...problem.headers });
  }
}

/** Says in `headers` how much is left. @throws rate_limited */
async function countRequest(
  run: Runtime,
  { buckets: [first, ...others] }: Pick<ApiCaller, 'buckets'>,
  now: Date,
  headers: Record<string, string>,
): Promise<void> {
  const allowance = await run.rateLimiter.take(first, now);
  Object.assign(headers, rateHeaders(first.perMinute, allowance));
  const allowances = [allowance];
  for (const bucket of others) allowances.push(await run.rateLimiter.take(bucket, now));
  const refused = allowances.find(({ allowed }) => !allowed);
  if (refused) throw rateLimited(Math.max(1, Math.ceil((refused.resetAt.getTime() - now.getTime()) / 1000)));
}

const answerWithCall = z.object({ call: z.object({ callId: z.number().int() }) });
const shownCall = (answer: unknown): number | null =>
  answerWithCall.safeParse(answer).data?.call.callId ?? null;

/** Made when it is first asked for: most requests log nothing. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A POST without a body of its own reads one all the same: it counts for the Idempotency-Key. */
const takesBody = ({ method, body }: EndpointDefinition) => body !== undefined || method === 'POST';

const rateHeaders = (perMinute: number, { remaining, resetAt }: Allowance) => ({
  'x-ratelimit-limit': String(perMinute),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.floor(resetAt.getTime() / 1000)),
});

/**
 * People's keys are their own: nobody is answered with what another's request has made. No header can hold the space before the
 * key, so that no backend's key is ever one of these.
 */
const ownKey = ({ session }: Ctx, key: string): string => (session ? ` session ${session.id} ${key}` : key);

/** Runs the verb, under the request's Idempotency-Key if it is a POST that has one. */
async function performOnce(
  run: Runtime,
  ctx: Ctx,
  definition: EndpointDefinition,
  request: Request,
  received: Received,
  perform: Perform,
): Promise<StoredAnswer & { replayed: boolean }> {
  const given = definition.method === 'POST' ? readKey(request.headers.get('idempotency-key')) : null;
  const key = given === null ? null : ownKey(ctx, given);
  if (key === null || definition.neverReplayed) {
    const answer = await commitPrepared(await perform(ctx, received), (prepared) => prepared.commit(ctx));
    return { ...answer, replayed: false };
  }
  const { url, body } = received;
  const path = definition.query ? url.pathname + url.search : url.pathname;
  const hashes = requestHashes(run.secrets, { method: definition.method, path, body });
  // By the clock as it is now: the body may have taken its time.
  const claimed = await claimKey(run.db, { consumerId: ctx.consumer.id, key, hashes }, run.now());
  if ('answer' in claimed) return { ...claimed.answer, replayed: true };
  return { ...(await performUnder(claimed.claim, run, ctx, received, perform)), replayed: false };
}

/** The verb's change and the stored answer commit together; a refusal (4xx) changed nothing and is stored by itself. */
async function performUnder(
  claim: Claim,
  run: Runtime,
  ctx: Ctx,
  received: Received,
  perform: Perform,
): Promise<StoredAnswer> {
  try {
    return await commitPrepared(await perform(ctx, received), (prepared) =>
      retryingTransaction(ctx, async (inner) => {
        const answer = await prepared.commit(inner);
        await storeAnswer(inner.db, claim, answer);
        return answer;
      }),
    );
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) {
      const text = JSON.stringify(error.toBody());
      await storeAnswer(run.db, claim, { status: error.status, text, callId: null });
    } else {
      // Without the database the key stays claimed, and can be used again when the claim is too old to be alive.
      await releaseKey(run.db, claim).catch((err: unknown) => {
        ctx.log.warn({ err }, 'failed to release an idempotency key');
      });
    }
    throw error;
  }
}

function parseInput(definition: EndpointDefinition, { url, body }: Received) {
  return {
    path: readPath(definition, url.pathname),
    query: definition.query && parsed(definition.query, Object.fromEntries(url.searchParams)),
    body: definition.body && parsed(definition.body, definition.anyJson ? parseJson(body) : bodyObject(body)),
  };
}

function bodyObject(body: string): object {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The request body must be a JSON object.');
  }
  return value;
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw fieldError(result.error);
  return result.data;
}
