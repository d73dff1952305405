/** What every verb is given: for whom, by whom, against which database, at what time. */
import { notFound } from '@clarion/protocol';
import type { Consumer, Database, StaffRole, Tenant, Tx } from '@clarion/db';
import type { Logger } from 'pino';
import type { Resolve } from './egress/guard.ts';
import type { SecretBox } from './security/secret-box.ts';
import type { Store } from '@clarion/store/store';
import type { AuditAction } from './audit-actions.ts';
import { violatedConstraint } from './violated-constraint.ts';
import { TRANSACTION_LIMITS } from './transaction-limits.ts';

/** Who acts. Written to the audit log with every change. */
export type Actor =
  | { kind: 'apiKey'; id: number }
  | { kind: 'dashboardUser'; id: number; name: string }
  /** Somebody of a business's staff, launched into the dashboard; the id is the launch token's. */
  | { kind: 'launchedUser'; id: string; name: string }
  | { kind: 'agent'; id: number }
  | { kind: 'mcp'; id: number }
  | { kind: 'operator'; id: string }
  | { kind: 'job'; id: string };

/** Which way in the change came. Written to the audit log beside the actor: an API key acts over the API or through an assistant. */
export type Surface = 'api' | 'mcp' | 'dashboard' | 'socket' | 'cli' | 'job';

/** What the deployment decides, the same for every verb. */
export interface Settings {
  baseUrl: string;
  /** Where the dashboard is, when it has an address of its own. */
  appUrl?: string;
  /** Null when the platform has no ingress domain: then a call's source address names its trunk. */
  ingressDomain: string | null;
  /** Development only: webhook, lookup and trunk hosts may be private or plain http. */
  allowPrivateEgress: boolean;
  /** How the names of webhook and lookup hosts are looked up when they are saved; the system's name servers when omitted. */
  resolve?: Resolve;
}

/** What links into the dashboard begin with. */
export const dashboardUrl = ({ appUrl, baseUrl }: Settings): string => appUrl ?? baseUrl;

/** Who is signed in to the dashboard, for a request that came with a session instead of a key. */
export interface SessionCaller {
  /** DashboardSession.id */
  id: number;
  role: StaffRole;
  name: string;
  /** Null for a launched person. */
  staffUserId: number | null;
  /** Set for a launched person: nothing outside this tenant exists for them. */
  tenantId: number | null;
}

export interface Ctx {
  consumer: Consumer;
  actor: Actor;
  surface: Surface;
  /** Absent: not a person at the dashboard. */
  session?: SessionCaller;
  /** A transaction once inside `inTransaction`. */
  db: Tx;
  now: Date;
  log: Logger;
  secrets: SecretBox;
  /** Recordings and audio. */
  store: Store;
  settings: Settings;
}

/** Tells the root client from an open transaction, which can open nested ones but neither connect nor disconnect. */
export const isRoot = (db: Tx | Database): db is Database => '$connect' in db;

/** Runs `work` in one transaction; joins the one that is open. */
export async function inTransaction<C extends { db: Tx }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
  limits: { timeout?: number } = {},
): Promise<T> {
  const { db } = ctx;
  if (!isRoot(db)) return work(ctx);
  try {
    return await db.$transaction((tx) => work({ ...ctx, db: tx }), { ...TRANSACTION_LIMITS, ...limits });
  } catch (error) {
    // The tenant was found, and deleted before the first write that refers to it: any verb can meet that.
    if (violatedConstraint(error)?.endsWith('_tenantId_fkey')) throw notFound('The tenant');
    throw error;
  }
}

/** The tenant that a launched person may not leave; null for everybody else. */
export const onlyTenantId = ({ session }: Pick<Ctx, 'session'>): number | null => session?.tenantId ?? null;

/** Narrows a query to what the caller may see: the account's rows, for a launched person their tenant's. */
export function scopeOf(ctx: Pick<Ctx, 'consumer' | 'session'>): { consumerId: number; tenantId?: number } {
  const tenantId = onlyTenantId(ctx);
  return { consumerId: ctx.consumer.id, ...(tenantId !== null && { tenantId }) };
}

/** The only way to a tenant: another consumer's, or another than the launched one, is not found, by construction. */
export async function tenantOf(ctx: Ctx, ref: string): Promise<Tenant> {
  const tenant = await ctx.db.tenant.findUnique({
    where: { consumerId_ref: { consumerId: ctx.consumer.id, ref } },
  });
  const only = onlyTenantId(ctx);
  if (!tenant || (only !== null && tenant.id !== only)) throw notFound('The tenant');
  return tenant;
}

/** Every tenant that the caller may see, oldest first. */
export function tenantsInScope(ctx: Pick<Ctx, 'consumer' | 'session' | 'db'>): Promise<Tenant[]> {
  const only = onlyTenantId(ctx);
  return ctx.db.tenant.findMany({
    where: { consumerId: ctx.consumer.id, ...(only !== null && { id: only }) },
    orderBy: { id: 'asc' },
  });
}

/** Records a change by whoever made it, in the transaction of the change. Never put a secret in `details`. */
export async function audit(ctx: Ctx, entry: AuditedChange): Promise<void> {
  await ctx.db.auditEntry.create({ data: auditRow(ctx, entry) });
}

export interface AuditedChange {
  action: AuditAction;
  target: string;
  tenantId?: number;
  details?: Record<string, string | number | boolean | null>;
}

/** The entry, for a change that writes it in its own statement. */
export const auditRow = (
  ctx: { consumer: { id: number }; actor: Actor; surface: Surface; now: Date },
  { action, target, tenantId, details }: AuditedChange,
) => ({
  consumerId: ctx.consumer.id,
  tenantId: tenantId ?? null,
  actorKind: ctx.actor.kind,
  actorId: String(ctx.actor.id),
  actorName: 'name' in ctx.actor ? ctx.actor.name : null,
  surface: ctx.surface,
  action,
  target,
  ...(details && { details }),
  at: ctx.now,
});
