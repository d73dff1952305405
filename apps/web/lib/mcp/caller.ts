/** The caller of an account tool: an account, by its API key, within the key's rate limit. */
import type { Actor } from '@clarion/core/context';
import type { Consumer } from '@clarion/db';
import { mcpKeyBucket } from '../api/rate-limit.ts';
import { runtime } from '../api/runtime.ts';
import { accountOf } from './account.ts';
import type { Account, ApiHandlers } from './account.ts';
import { ToolFailure } from './tool-result.ts';

export interface Caller {
  consumer: Consumer;
  actor: Actor;
  account: Account;
}

/** Authenticates the caller of an account tool, once per call. */
export type FindCaller = () => Promise<Caller>;

/**
 * Authenticates a tool call and counts it towards the key's 300 per minute (docs/requirements.md#limits).
 *
 * @throws ApiError unauthorized; ToolFailure past the limit
 */
export async function callerOf(authorization: string, handlers: ApiHandlers): Promise<Caller> {
  const run = runtime();
  const { consumer, actor } = await run.authenticator.authenticate(authorization);
  const bucket = mcpKeyBucket(Number(actor.id));
  const { allowed } = await run.rateLimiter.take(bucket, run.now());
  if (!allowed) {
    throw new ToolFailure(
      `This key made ${bucket.perMinute} tool calls in this minute and has reached the limit. Wait a minute before the next call.`,
    );
  }
  return { consumer, actor, account: accountOf(authorization, handlers) };
}
