/** Creates or replaces a tenant. Suspending disconnects its agents; a PUT without a status lifts a suspension. */
import type { Tenant } from '@clarion/db';
import type { PutTenant, TenantResource } from '@clarion/protocol/v1/tenant/tenants';
import { auditRow } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentTenant } from './present.ts';

/**
 * The tenant, its audit entry and, for a suspension or other settings, the word to other processes: one statement, because a backend PUTs its tenants
 * again and again, and a transaction of four costs three times as much. Nothing else of a tenant is anything that others keep.
 */
export async function putTenant(ctx: Ctx, ref: string, input: PutTenant): Promise<TenantResource> {
  const { db, consumer } = ctx;
  const { name, status, settings } = input;
  const { consumerId, actorKind, actorId, actorName, surface, action, target, details, at } = auditRow(ctx, {
    action: 'tenant.put',
    target: ref,
    details: { name, status },
  });
  const rows = await db.$queryRaw<Tenant[]>`
    with put as (
      insert into "Tenant" as t ("consumerId", "ref", "name", "status", "settings", "updatedAt")
      values (${consumer.id}, ${ref}, ${name}, ${status}::"TenantStatus",
        coalesce(${settings ? JSON.stringify(settings) : null}::jsonb, '{}'), now())
      on conflict ("consumerId", "ref") do update
        set "name" = excluded."name", "status" = excluded."status", "updatedAt" = excluded."updatedAt",
          "settings" = coalesce(${settings ? JSON.stringify(settings) : null}::jsonb, t."settings")
      returning *
    ), before as (
      select "settings" from "Tenant" where "consumerId" = ${consumer.id} and "ref" = ${ref}
    ), audited as (
      insert into "AuditEntry"
        ("consumerId", "tenantId", "actorKind", "actorId", "actorName", "surface", "action", "target", "details", "at")
      select ${consumerId}, "id", ${actorKind}, ${actorId}, ${actorName}, ${surface}, ${action}, ${target},
        ${JSON.stringify(details)}::jsonb, ${at}
      from put
    ), told as (
      select pg_notify('clarion_tenant', "id"::text)::text from put
      where "status" = 'SUSPENDED' or exists (select from before where before."settings" <> put."settings")
    )
    select put.* from put left join told on true`;
  const [tenant] = rows;
  if (!tenant) throw new Error('the tenant that was written could not be read back');
  return presentTenant(tenant);
}
