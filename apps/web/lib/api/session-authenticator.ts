/**
 * Who is signed in, by the session's cookie. A session seen before costs no SQL; it is forgotten the moment the database says
 * that the session, its person or its account changed.
 */
import { createHash } from 'node:crypto';
import type { Actor, SessionCaller } from '@clarion/core/context';
import { findSession } from '@clarion/core/session/find-session';
import type { KnownSession } from '@clarion/core/session/find-session';
import { isOver } from '@clarion/core/session/session-limits';
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Consumer, Database } from '@clarion/db';
import { unauthorized } from '@clarion/protocol';
import { createBelieved } from '../api/believed.ts';
import { openSealed } from './session-cookie.ts';

export interface SessionRequest {
  consumer: Consumer;
  actor: Actor;
  session: SessionCaller;
  tenantRef: string | null;
  needsTwoFactor: boolean;
}

export interface SessionAuthenticator {
  /** @throws unauthorized */
  authenticate(sealed: string): Promise<SessionRequest>;
  forgetSession(sessionId: number): void;
  forgetStaff(staffUserId: number): void;
  forgetConsumer(consumerId: number): void;
  forgetAll(): void;
}

export interface SessionAuthenticatorOptions {
  db: Database;
  secrets: SecretBox;
  now: () => Date;
  /** Whether changes are heard of at once. */
  isCurrent: () => boolean;
  onSeen: (sessionId: number, at: Date) => void;
}

export function createSessionAuthenticator({
  db,
  secrets,
  now,
  isCurrent,
  onSeen,
}: SessionAuthenticatorOptions): SessionAuthenticator {
  const { get, forget } = createBelieved<KnownSession>(isCurrent);

  async function load(sealed: string): Promise<KnownSession> {
    const secret = openSealed(secrets, sealed);
    const known = secret === null ? null : await findSession(db, secret);
    if (!known) throw unauthorized(OVER);
    return known;
  }

  return {
    async authenticate(sealed) {
      // By a hash: what browsers hold does not lie about in memory.
      const name = createHash('sha256').update(sealed).digest('base64');
      const known = await get(name, () => load(sealed));
      const at = now();
      if (isOver(known, at)) throw unauthorized(OVER);
      known.lastSeenAt = at;
      const { consumer, actor, caller, tenantRef, needsTwoFactor } = known;
      onSeen(caller.id, at);
      return { consumer, actor, session: caller, tenantRef, needsTwoFactor };
    },
    forgetSession: (sessionId) => forget(({ caller }) => caller.id === sessionId),
    forgetStaff: (staffUserId) => forget(({ caller }) => caller.staffUserId === staffUserId),
    forgetConsumer: (consumerId) => forget(({ consumer }) => consumer.id === consumerId),
    forgetAll: () => forget(() => true),
  };
}

const OVER = 'Your session has ended. Sign in again.';
