/** Ends a session: when the user signs out, or when another session replaces it in the browser. */
import type { KnownSession } from '@clarion/core/session/find-session';
import { findSession } from '@clarion/core/session/find-session';
import { signOut } from '@clarion/core/session/end-sessions';
import { isOver } from '@clarion/core/session/session-limits';
import { contextOf } from '../api/context.ts';
import type { Runtime } from '../api/runtime.ts';
import { cookieName, openSealed, readCookie } from '../api/session-cookie.ts';

export async function endSession(run: Runtime, secret: string): Promise<void> {
  const known = await findSession(run.db, secret);
  if (known) await leave(run, known, secret, { replaced: false });
}

/**
 * Ends the session whose cookie the response to `request` overwrites. It could no longer be used or signed out, but would count as
 * signed in until its idle timeout.
 */
export async function endReplacedSession(run: Runtime, request: Request): Promise<void> {
  const sealed = readCookie(request.headers.get('cookie'), cookieName(run.env));
  const secret = sealed === null ? null : openSealed(run.secrets, sealed);
  const known = secret === null ? null : await findSession(run.db, secret);
  if (secret === null || known === null || isOver(known, run.now())) return;
  await leave(run, known, secret, { replaced: true });
}

async function leave(
  run: Runtime,
  { consumer, actor, caller: session }: KnownSession,
  secret: string,
  how: { replaced: boolean },
): Promise<void> {
  await signOut(contextOf(run, { consumer, actor, session, surface: 'dashboard' }), secret, how);
  run.sessions.evictSession(session.id);
}
