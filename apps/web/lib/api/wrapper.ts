/**
 * The pipeline of every /v1 request, in order: authenticate, suspension, rate limit, role, body, idempotency, parse, verb, response,
 * record. A route file only names its endpoint and the verb.
 */
import type { Ctx } from '@clarion/core/context';
import { ApiError } from '@clarion/protocol';
import type { EndpointAnswer, EndpointDefinition, EndpointInput } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName, Registry } from '@clarion/protocol/v1/registry';
import { assertAllowed, callerOf } from './caller.ts';
import { contextOf } from './context.ts';
import { countRequest } from './count-request.ts';
import { fileResponse } from './file-response.ts';
import { json, problemOf } from './problem.ts';
import { parseInput, receive } from './request-input.ts';
import type { Input } from './request-input.ts';
import { startRecord } from './request-record.ts';
import { runOnce } from './run-once.ts';
import type { Commit, VerbResponse } from './run-once.ts';
import { runtime } from './runtime.ts';
import type { Runtime } from './runtime.ts';

/** Handles one endpoint. Returns what its resource schema in the registry describes; undefined where the response has no body. */
export type EndpointVerb<N extends EndpointName> = (
  ctx: Ctx,
  input: EndpointInput<Registry[N]>,
) => Promise<EndpointAnswer<Registry[N]>>;

/** A verb that does its own work outside the transaction, and ends by passing the change that belongs inside to `commit`. */
export type TwoPhaseVerb<N extends EndpointName> = (
  ctx: Ctx,
  input: EndpointInput<Registry[N]>,
  commit: Commit<EndpointAnswer<Registry[N]>>,
) => Promise<VerbResponse>;

/** Under an Idempotency-Key the whole verb runs in the transaction that stores its response. */
export const endpoint = <N extends EndpointName>(name: N, verb: EndpointVerb<N>) =>
  twoPhaseEndpoint(name, (_, input, commit) => commit((inner) => verb(inner, input)));

/** For a verb that takes too long for one transaction, or that reaches another system. */
export function twoPhaseEndpoint<N extends EndpointName>(name: N, verb: TwoPhaseVerb<N>) {
  // The registry's schemas produced the input, so it has the registry's types.
  const perform: Perform = (ctx, input, commit) => verb(ctx, input as EndpointInput<Registry[N]>, commit);
  return (request: Request): Promise<Response> => respond(name, registry[name], request, perform);
}

type Perform = (ctx: Ctx, input: Input, commit: Commit<unknown>) => Promise<VerbResponse>;

async function respond(
  name: string,
  definition: EndpointDefinition,
  request: Request,
  perform: Perform,
): Promise<Response> {
  const run = runtime();
  const record = startRecord(run, name, definition);
  const headers: Record<string, string> = { 'x-request-id': record.requestId };
  try {
    const caller = await callerOf(run, request);
    const { consumer, actor, surface, session } = caller;
    record.consumerId = consumer.id;
    if (consumer.status === 'SUSPENDED') throw new ApiError('consumer_suspended');
    const now = run.now();
    await countRequest(run.rateLimiter, caller.buckets, now, headers);
    assertAllowed(caller, definition);
    const received = await receive(definition, request);
    const ctx = contextOf(
      run,
      { consumer, actor, surface, ...(session && { session }) },
      { log: record.log, now },
    );
    const { status, text, file, replayed } = await runOnce(run, ctx, definition, received, async (commit) =>
      perform(ctx, parseInput(definition, received), commit),
    );
    evictChanged(run, definition, consumer.id);
    if (replayed) headers['idempotent-replayed'] = 'true';
    record.finish(status, { replayed });
    if (file) return fileResponse(definition, status, file, headers);
    return textResponse(definition, status, text, headers);
  } catch (error) {
    const problem = problemOf(error, record.requestId, record.log());
    record.finish(problem.status, { code: problem.code });
    return textResponse(definition, problem.status, problem.text, { ...headers, ...problem.headers });
  }
}

/** Also for a stored error that is returned again. */
const textResponse = (
  { bareErrors }: EndpointDefinition,
  status: number,
  text: string,
  headers: Record<string, string>,
): Response =>
  text === '' || (bareErrors && status >= LOWEST_ERROR)
    ? new Response(null, { status, headers })
    : json(status, text, headers);
const LOWEST_ERROR = 400;

/** API keys, the webhook, users and their sessions: other processes are notified, this one evicts what it has cached immediately. */
function evictChanged(
  run: Runtime,
  { method, role, sessionOnly }: EndpointDefinition,
  consumerId: number,
): void {
  if (method === 'GET' || (role !== 'own' && !sessionOnly)) return;
  run.authenticator.evictConsumer(consumerId);
  run.sessions.evictConsumer(consumerId);
}
