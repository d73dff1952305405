/** Whether a dashboard page may watch a tenant, by the current rows: checked on connection and after every change. */
import { ApiError, storedTenantSettings, tenantSettingsWithDefaults, unauthorized } from '@clarion/protocol';
import type { MonitoringMode } from '@clarion/protocol';
import type { StaffRole, Tenant, Tx } from '@clarion/db';
import { modesFor } from '../call-machine/monitors.ts';
import type { Actor } from '../context.ts';
import type { SecretBox } from '../security/secret-box.ts';
import { isOver, SESSION_IDLE_MS } from '../session/session-limits.ts';
import { readTicket } from './ticket.ts';

export interface Watcher {
  sessionId: number;
  /** Null for a launched person. */
  staffUserId: number | null;
  consumerId: number;
  tenant: Pick<Tenant, 'id' | 'ref' | 'name'>;
  name: string;
  role: StaffRole;
  actor: Actor;
  /** What they may do with the tenant's calls. */
  modes: MonitoringMode[];
  /** When to check again: the session expires then, unless it was used meanwhile. */
  expiresAt: Date;
}

/** @throws ApiError unauthorized, forbidden (two-factor authentication required), consumer_suspended or tenant_suspended */
export async function admitWatcher(
  { db, secrets }: { db: Tx; secrets: SecretBox },
  text: string,
  now: Date,
): Promise<Watcher> {
  const ticket = readTicket(secrets, text, now);
  if (!ticket) throw unauthorized('The ticket is no longer valid. Request a new one.');
  return watcherOf(db, ticket, now);
}

/** @throws ApiError unauthorized, forbidden (two-factor authentication required), consumer_suspended or tenant_suspended */
export async function watcherOf(
  db: Tx,
  { sessionId, tenantId }: { sessionId: number; tenantId: number },
  now: Date,
): Promise<Watcher> {
  const session = await db.dashboardSession.findUnique({
    where: { id: sessionId },
    include: { staffUser: true, consumer: { select: { status: true } } },
  });
  const { staffUser } = session ?? {};
  if (!session || session.revokedAt || isOver(session, now) || staffUser?.disabledAt) throw signedOut();
  if (staffUser?.twoFactorRequired && staffUser.totpConfirmedAt === null) throw twoFactorFirst();
  if (session.consumer.status === 'SUSPENDED') throw new ApiError('consumer_suspended');
  const tenant = await db.tenant.findUnique({ where: { id: tenantId } });
  const isTheirs = tenant?.consumerId === session.consumerId && (session.tenantId ?? tenant.id) === tenant.id;
  if (!tenant || !isTheirs) throw unauthorized('The tenant no longer exists.');
  if (tenant.status === 'SUSPENDED') throw new ApiError('tenant_suspended');
  const name = staffUser?.name ?? session.name;
  const { monitoring } = tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings));
  return {
    sessionId,
    staffUserId: session.staffUserId,
    consumerId: session.consumerId,
    tenant: { id: tenant.id, ref: tenant.ref, name: tenant.name },
    name,
    role: staffUser?.role ?? session.role,
    actor: staffUser
      ? { kind: 'dashboardUser', id: staffUser.id, name }
      : { kind: 'launchedUser', id: session.userRef ?? String(session.id), name },
    modes: modesFor('DASHBOARD', monitoring.modes),
    expiresAt: new Date(
      Math.min(session.expiresAt.getTime(), session.lastSeenAt.getTime() + SESSION_IDLE_MS),
    ),
  };
}

const twoFactorFirst = () =>
  new ApiError('forbidden', { message: 'Your account requires two-factor authentication. Set it up first.' });
const signedOut = () => unauthorized('You have been signed out. Sign in again.');
