/**
 * Authenticates the session cookie. A cached session costs no SQL; it is evicted when the database notifies a change of the
 * session, its user or its account.
 */
import { createHash } from 'node:crypto';
import type { Actor, SessionCaller } from '@clarion/core/context';
import { findSession } from '@clarion/core/session/find-session';
import type { KnownSession } from '@clarion/core/session/find-session';
import { isOver } from '@clarion/core/session/session-limits';
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Consumer, Database } from '@clarion/db';
import { unauthorized } from '@clarion/protocol';
import { createCredentialCache } from './credential-cache.ts';
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
  evictSession(sessionId: number): void;
  evictStaff(staffUserId: number): void;
  evictConsumer(consumerId: number): void;
  evictAll(): void;
}

export interface SessionAuthenticatorOptions {
  db: Database;
  secrets: SecretBox;
  now: () => Date;
  /** Whether notifications of changes are being received. */
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
  const { get, evict } = createCredentialCache<KnownSession>(isCurrent);

  async function load(sealed: string): Promise<KnownSession> {
    const secret = openSealed(secrets, sealed);
    const known = secret === null ? null : await findSession(db, secret);
    if (!known) throw unauthorized(OVER);
    return known;
  }

  return {
    async authenticate(sealed) {
      // Cached by a hash, so that the cookies themselves are not kept in memory.
      const cacheKey = createHash('sha256').update(sealed).digest('base64');
      const known = await get(cacheKey, () => load(sealed));
      const at = now();
      if (isOver(known, at)) throw unauthorized(OVER);
      known.lastSeenAt = at;
      const { consumer, actor, caller, tenantRef, needsTwoFactor } = known;
      onSeen(caller.id, at);
      return { consumer, actor, session: caller, tenantRef, needsTwoFactor };
    },
    evictSession: (sessionId) => evict(({ caller }) => caller.id === sessionId),
    evictStaff: (staffUserId) => evict(({ caller }) => caller.staffUserId === staffUserId),
    evictConsumer: (consumerId) => evict(({ consumer }) => consumer.id === consumerId),
    evictAll: () => evict(() => true),
  };
}

const OVER = 'Your session has ended. Sign in again.';
