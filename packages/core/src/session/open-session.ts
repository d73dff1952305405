/** Creates a dashboard session for a person who has proved their identity. */
import type { DashboardSession, StaffRole, Tx } from '@clarion/db';
import { SESSION_MAX_MS } from './session-limits.ts';
import { newSessionSecret, sessionHash } from './session-secret.ts';

const USER_AGENT_MAX_CHARS = 400;

/** Address and browser of a sign-in, for the list of sessions and the audit log. */
export interface Device {
  userAgent: string | null;
  address: string | null;
}

export interface Person {
  consumerId: number;
  name: string;
  role: StaffRole;
  /** Null for a launched person, who has a tenant and a user reference instead. */
  staffUserId: number | null;
  tenantId: number | null;
  userRef: string | null;
  /** The key that signed a launch token. The session ends when it is revoked. */
  signingKeyId: number | null;
}

export interface OpenedSession {
  session: DashboardSession;
  /** For the browser's cookie only. */
  secret: string;
}

export async function openSession(
  { db, now }: { db: Tx; now: Date },
  person: Person,
  { userAgent, address }: Device,
): Promise<OpenedSession> {
  const secret = newSessionSecret();
  const session = await db.dashboardSession.create({
    data: {
      ...person,
      hash: sessionHash(secret),
      userAgent: userAgent === null ? null : userAgent.slice(0, USER_AGENT_MAX_CHARS),
      address,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + SESSION_MAX_MS),
    },
  });
  return { session, secret };
}
