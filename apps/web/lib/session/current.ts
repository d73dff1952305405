/** Who is signed in, for pages that are made on the server: by the same code that answers `/v1`. */
import { cache } from 'react';
import { headers } from 'next/headers.js';
import { getMe } from '@clarion/core/session/get-me';
import { ApiError } from '@clarion/protocol';
import type { MeResource } from '@clarion/protocol/v1/account/me';
import { contextOf } from '../api/context.ts';
import { runtime } from '../api/runtime.ts';
import type { SessionRequest } from '../api/session-authenticator.ts';
import { cookieName, readCookie } from '../api/session-cookie.ts';

export type Me = MeResource;

/** Once per page, however many of its parts ask. Null: nobody, or the account is suspended. */
export const currentSession = cache(async (): Promise<SessionRequest | null> => {
  const run = runtime();
  const sealed = readCookie((await headers()).get('cookie'), cookieName(run.env));
  if (sealed === null) return null;
  try {
    const session = await run.sessions.authenticate(sealed);
    return session.consumer.status === 'SUSPENDED' ? null : session;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized') return null;
    throw error;
  }
});

export const currentMe = cache(async (): Promise<Me | null> => {
  const current = await currentSession();
  if (current === null) return null;
  const { consumer, actor, session } = current;
  return (await getMe(contextOf(runtime(), { consumer, actor, session, surface: 'dashboard' }))).me;
});
