import type { AuditEntryResource, ListAudit } from '@clarion/protocol/v1/account/audit';
import type { AuditEntry, Prisma } from '@clarion/db';
import { scopeOf, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';

/** What was changed, by whom and which way, newest first. A launched person sees what was done in their tenant. */
export async function listAudit(
  ctx: Ctx,
  { tenantRef, action, actor, from, to, limit, beforeId }: ListAudit,
): Promise<{ entries: AuditEntryResource[]; nextBeforeId: number | null }> {
  const tenant = tenantRef === null ? null : await tenantOf(ctx, tenantRef);
  const rows = await ctx.db.auditEntry.findMany({
    where: {
      ...scopeOf(ctx),
      ...(beforeId !== null && (await olderThan(ctx, beforeId))),
      ...(tenant && { tenantId: tenant.id }),
      ...(action !== null && { action: action.includes('.') ? action : { startsWith: `${action}.` } }),
      ...(actor !== null && byActor(actor)),
      ...((from ?? to) && { at: { ...(from && { gte: from }), ...(to && { lt: to }) } }),
    },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const page = rows.slice(0, limit);
  const refs = await tenantRefs(ctx, page);
  const last = page.at(-1);
  return {
    entries: page.map((row) => present(row, row.tenantId === null ? null : (refs.get(row.tenantId) ?? null))),
    nextBeforeId: rows.length > limit && last ? Number(last.id) : null,
  };
}

/** IDs do not follow the time: an entry may be written after a later one, and sample history long after. */
async function olderThan(ctx: Ctx, id: number): Promise<Prisma.AuditEntryWhereInput> {
  const last = await ctx.db.auditEntry.findFirst({ where: { ...scopeOf(ctx), id }, select: { at: true } });
  if (!last) return { id: { lt: id } };
  return { OR: [{ at: { lt: last.at } }, { at: last.at, id: { lt: id } }] };
}

/** `kind`, or `kind:id`. */
function byActor(actor: string): Prisma.AuditEntryWhereInput {
  const [kind = '', ...id] = actor.split(':');
  return { actorKind: kind, ...(id.length > 0 && { actorId: id.join(':') }) };
}

/** Of those that still exist. */
async function tenantRefs(ctx: Ctx, rows: readonly AuditEntry[]): Promise<Map<number, string>> {
  const ids = [...new Set(rows.flatMap(({ tenantId }) => (tenantId === null ? [] : [tenantId])))];
  const tenants = await ctx.db.tenant.findMany({
    where: { id: { in: ids }, consumerId: ctx.consumer.id },
    select: { id: true, ref: true },
  });
  return new Map(tenants.map(({ id, ref }) => [id, ref]));
}

const present = (row: AuditEntry, tenantRef: string | null): AuditEntryResource => ({
  id: Number(row.id),
  at: row.at.toISOString(),
  actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
  surface: row.surface,
  action: row.action,
  target: row.target,
  tenantRef,
  details: row.details as AuditEntryResource['details'],
});
