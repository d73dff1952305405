/**
 * What people ask for before they are signed in: a new password, whom a link is for, to set the password with it. JSON like
 * `/v1`, from pages of ours alone, and counted by where it comes from.
 */
import { randomUUID } from 'node:crypto';
import type { Anonymous } from '@clarion/core/session/as-person';
import { rateLimited } from '@clarion/protocol';
import { fieldError } from '@clarion/protocol/v1/fields/field-error';
import type { z } from 'zod';
import { parseJson, readBody } from '../api/body.ts';
import { clientAddress } from '../api/client-address.ts';
import { json, problemOf } from '../api/problem.ts';
import { signInBucket } from '../api/rate-limit.ts';
import { runtime } from '../api/runtime.ts';
import { anonymous } from './auth-options.ts';
import { assertSameOrigin } from '../api/same-origin.ts';

const MAX_BYTES = 16 * 1024;

export const accessRoute =
  <S extends z.ZodType>(body: S, verb: (ctx: Anonymous, input: z.output<S>) => Promise<object | void>) =>
  async (request: Request): Promise<Response> => {
    const run = runtime();
    const requestId = randomUUID();
    try {
      assertSameOrigin(request, run.env);
      const now = run.now();
      const bucket = signInBucket(clientAddress(request, run.env));
      const { allowed, resetAt } = await run.rateLimiter.take(bucket, now);
      if (!allowed) throw rateLimited(Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000)));
      const parsed = body.safeParse(parseJson(await readBody(request, MAX_BYTES)), { reportInput: true });
      if (!parsed.success) throw fieldError(parsed.error);
      const answer = await verb(anonymous(run), parsed.data);
      return answer ? json(200, JSON.stringify(answer)) : new Response(null, { status: 204 });
    } catch (error) {
      const { status, text, headers } = problemOf(error, requestId, run.log);
      return json(status, text, headers);
    }
  };
