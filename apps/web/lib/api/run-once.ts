/**
 * Runs a verb once per Idempotency-Key. Its change and the stored response commit together; a 4xx changed nothing and is stored by
 * itself; a 5xx releases the key. Without a key the verb simply runs.
 */
import type { Ctx } from '@clarion/core/context';
import { retryingTransaction } from '@clarion/core/retry-on-conflict';
import { ApiError } from '@clarion/protocol';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { FileAnswer } from '@clarion/protocol/v1/file-answer';
import type { File } from '@clarion/protocol/v1/file-answer';
import { z } from 'zod';
import { claimKey, readKey, releaseKey, requestHashes, storeResponse } from './idempotency.ts';
import type { Claim, StoredResponse } from './idempotency.ts';
import type { Received } from './request-input.ts';
import type { Runtime } from './runtime.ts';

/** `file`: instead of the text. A response under an Idempotency-Key has none, because it is stored. */
export type VerbResponse = Pick<StoredResponse, 'status' | 'text'> & { file?: File };

/**
 * Carries out a change and makes its result the response. The change may run again after a conflict, in a new transaction. `limits`: for
 * a change that takes longer than others, in milliseconds.
 */
export type Commit<T> = (
  change: (ctx: Ctx) => Promise<T>,
  limits?: { timeout?: number },
) => Promise<VerbResponse>;

export async function runOnce(
  run: Runtime,
  ctx: Ctx,
  definition: EndpointDefinition,
  received: Received,
  perform: (commit: Commit<unknown>) => Promise<VerbResponse>,
): Promise<VerbResponse & { replayed: boolean }> {
  const key = keyOf(definition, ctx, received);
  if (key === null) {
    const response = await perform(async (change) => responseOf(definition, await change(ctx)));
    return { ...response, replayed: false };
  }
  const hashes = await hashesOf(run, definition, received);
  // The current time: receiving the body may have taken a while.
  const claimed = await claimKey(run.db, { consumerId: ctx.consumer.id, key, hashes }, run.now());
  if ('response' in claimed) return { ...claimed.response, replayed: true };
  const { claim } = claimed;
  try {
    const response = await perform((change, limits) =>
      commitWithResponse(ctx, { claim, definition, ...(limits && { limits }) }, change),
    );
    return { ...response, replayed: false };
  } catch (error) {
    await settleClaim(run, ctx, claim, error);
    throw error;
  }
}

/** Null without a key, and where the response must not be stored. @throws 400 */
function keyOf({ method, neverReplayed }: EndpointDefinition, ctx: Ctx, received: Received): string | null {
  const key = method === 'POST' ? readKey(received.idempotencyKey) : null;
  return key === null || neverReplayed ? null : keyWithinSession(ctx, key);
}

/**
 * Each session has keys of its own, so that no user receives the response to another user's request. A header value cannot begin
 * with a space, so these never equal the key of a backend.
 */
const keyWithinSession = ({ session }: Ctx, key: string): string =>
  session ? ` session ${session.id} ${key}` : key;

async function hashesOf(run: Runtime, { method, query }: EndpointDefinition, { url, body }: Received) {
  const path = query ? url.pathname + url.search : url.pathname;
  return requestHashes(run.secrets, { method, path, body: (await body?.canonical()) ?? '' });
}

const commitWithResponse = (
  ctx: Ctx,
  {
    claim,
    definition,
    limits,
  }: { claim: Claim; definition: EndpointDefinition; limits?: { timeout?: number } },
  change: (ctx: Ctx) => Promise<unknown>,
): Promise<VerbResponse> =>
  retryingTransaction(
    ctx,
    async (inner) => {
      const result = await change(inner);
      const response = responseOf(definition, result);
      if (response.file) throw new Error('a file cannot be stored as the response of an Idempotency-Key');
      await storeResponse(inner.db, claim, { ...response, callId: callIdIn(result) });
      return response;
    },
    limits,
  );

/** After a failure: stores a 4xx as the response of the key, and releases the key otherwise. */
async function settleClaim(run: Runtime, ctx: Ctx, claim: Claim, error: unknown): Promise<void> {
  if (error instanceof ApiError && error.status < 500) {
    const text = JSON.stringify(error.toBody());
    await storeResponse(run.db, claim, { status: error.status, text, callId: null });
    return;
  }
  // If the database is unavailable the key stays claimed; it can be used again when the claim has expired.
  await releaseKey(run.db, claim).catch((err: unknown) => {
    ctx.log.warn({ err }, 'failed to release an idempotency key');
  });
}

function responseOf({ answer: { status } }: EndpointDefinition, result: unknown): VerbResponse {
  if (result instanceof FileAnswer) return { status, text: '', file: result.file };
  return { status, text: result === undefined ? '' : JSON.stringify(result) };
}

const resultWithCall = z.object({ call: z.object({ callId: z.number().int() }) });
const callIdIn = (result: unknown): number | null =>
  resultWithCall.safeParse(result).data?.call.callId ?? null;
