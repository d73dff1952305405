/** The context of every verb: account, actor, database and time. */
import { invalidField, notFound } from '@clarion/protocol';
import type { Consumer, Database, StaffRole, Tenant, Tx } from '@clarion/db';
import type { Logger } from 'pino';
import type { Resolve } from './egress/guard.ts';
import type { PriceBook } from './price-book/price-book.ts';
import type { SecretBox } from './security/secret-box.ts';
import type { Store } from '@clarion/store/store';
import type { AuditAction } from './audit-actions.ts';
import { transact } from './announce-deliveries.ts';
import { violatedConstraint } from './violated-constraint.ts';
import { TRANSACTION_LIMITS } from './transaction-limits.ts';

/** Who acts. Written to the audit log with every change. */
export type Actor =
  | { kind: 'apiKey'; id: number }
  | { kind: 'dashboardUser'; id: number; name: string }
  /** A person of a business, launched into the dashboard; the ID is the launch token's. */
  | { kind: 'launchedUser'; id: string; name: string }
  | { kind: 'agent'; id: number }
  | { kind: 'mcp'; id: number }
  | { kind: 'operator'; id: string }
  | { kind: 'job'; id: string };

/** The channel of access. Written to the audit log next to the actor, because an API key may be used over the API or by an assistant. */
export type Surface = 'api' | 'mcp' | 'dashboard' | 'socket' | 'cli' | 'job';

/** Settings of the deployment, the same for every verb. */
export interface Settings {
  baseUrl: string;
  /** The dashboard's URL, if it has one of its own. */
  appUrl?: string;
  /** Null if the platform has no ingress domain. A call's source address then selects its trunk. */
  ingressDomain: string | null;
  /** Development only: webhook, lookup and trunk hosts may be private or plain http. */
  allowPrivateEgress: boolean;
  /** The issuer of the invoices that accounts get from the operator. */
  operatorName: string;
  /** DNS servers for checking webhook and lookup hosts when they are saved; the system's if omitted. */
  resolve?: Resolve;
}

/** The base of links into the dashboard. */
export const dashboardUrl = ({ appUrl, baseUrl }: Settings): string => appUrl ?? baseUrl;

/** Who is signed in to the dashboard, for a request with a session instead of an API key. */
export interface SessionCaller {
  /** DashboardSession.id */
  id: number;
  role: StaffRole;
  name: string;
  /** Null for a launched person. */
  staffUserId: number | null;
  /** Set for a launched person, who can see nothing outside this tenant. */
  tenantId: number | null;
}

export interface Ctx {
  consumer: Consumer;
  actor: Actor;
  surface: Surface;
  /** Absent unless the caller is signed in to the dashboard. */
  session?: SessionCaller;
  /** The transaction inside `inTransaction`. */
  db: Tx;
  now: Date;
  log: Logger;
  secrets: SecretBox;
  /** Stores recordings and audio. */
  store: Store;
  settings: Settings;
  /** Absent: prices are read from the database. */
  prices?: PriceBook;
}

/** Distinguishes the root client from an open transaction, which has no $connect. */
export const isRoot = (db: Tx | Database): db is Database => '$connect' in db;

/** Runs `work` in a transaction; joins an open one. */
export async function inTransaction<C extends { db: Tx }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
  limits: { timeout?: number } = {},
): Promise<T> {
  const { db } = ctx;
  if (!isRoot(db)) return work(ctx);
  try {
    return await transact(db, (tx) => work({ ...ctx, db: tx }), { ...TRANSACTION_LIMITS, ...limits });
  } catch (error) {
    // The tenant was deleted between the check and the first write that refers to it. This can happen in any verb.
    if (violatedConstraint(error)?.endsWith('_tenantId_fkey')) throw notFound('The tenant');
    throw error;
  }
}

/** The only tenant that a launched person may see; null for everyone else. */
export const onlyTenantId = ({ session }: Pick<Ctx, 'session'>): number | null => session?.tenantId ?? null;

/** Narrows a query to what the caller may see: the account's rows, or for a launched person those of their tenant. */
export function scopeOf(ctx: Pick<Ctx, 'consumer' | 'session'>): { consumerId: number; tenantId?: number } {
  const tenantId = onlyTenantId(ctx);
  return { consumerId: ctx.consumer.id, ...(tenantId !== null && { tenantId }) };
}

/** Whether the caller may do what an owner may: so may an API key. */
export const isOwner = ({ session }: Pick<Ctx, 'session'>): boolean =>
  session === undefined || session.role === 'OWNER';

/** Finds a tenant of the account. Tenants of other accounts, or other tenants than the launched one, are not found. */
export async function tenantOf(ctx: Ctx, ref: string): Promise<Tenant> {
  const tenant = await findTenant(ctx, ref);
  if (!tenant) throw notFound('The tenant');
  return tenant;
}

/** For the `tenant_ref` of a body. @throws 400 naming it */
export async function tenantOfBody(ctx: Ctx, ref: string): Promise<Tenant> {
  const tenant = await findTenant(ctx, ref);
  if (!tenant) throw invalidField('tenant_ref', `tenant_ref: there is no tenant ${ref}.`);
  return tenant;
}

async function findTenant(ctx: Ctx, ref: string): Promise<Tenant | null> {
  const tenant = await ctx.db.tenant.findUnique({
    where: { consumerId_ref: { consumerId: ctx.consumer.id, ref } },
  });
  const only = onlyTenantId(ctx);
  return only === null || tenant?.id === only ? tenant : null;
}

/** Every tenant that the caller may see, oldest first. */
export function tenantsInScope(ctx: Pick<Ctx, 'consumer' | 'session' | 'db'>): Promise<Tenant[]> {
  const only = onlyTenantId(ctx);
  return ctx.db.tenant.findMany({
    where: { consumerId: ctx.consumer.id, ...(only !== null && { id: only }) },
    orderBy: { id: 'asc' },
  });
}

/** A change of the operator may concern no account. */
type AuditCtx = Pick<Ctx, 'db' | 'actor' | 'surface' | 'now'> & { consumer: { id: number } | null };

/** Records a change and its actor, in the transaction of the change. Never put a secret in `details`. */
export async function audit(ctx: AuditCtx, entry: AuditedChange): Promise<void> {
  await ctx.db.auditEntry.create({ data: auditRow(ctx, entry) });
}

export interface AuditedChange {
  action: AuditAction;
  target: string;
  tenantId?: number;
  details?: Record<string, string | number | boolean | null>;
}

/** The entry, for a change that inserts it in its own statement. A change of the operator may concern no account. */
export const auditRow = <C extends { id: number } | null>(
  ctx: { consumer: C; actor: Actor; surface: Surface; now: Date },
  { action, target, tenantId, details }: AuditedChange,
) => ({
  consumerId: ctx.consumer?.id ?? null,
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
