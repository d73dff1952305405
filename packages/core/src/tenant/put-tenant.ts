/** Creates or replaces a tenant. Suspending disconnects its agents; a PUT without a status lifts a suspension. */
import { notify } from '@clarion/db';
import type { PutTenant, TenantResource } from '@clarion/protocol/v1/tenants';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentTenant } from './present.ts';

export async function putTenant(ctx: Ctx, ref: string, input: PutTenant): Promise<TenantResource> {
  return inTransaction(ctx, async (inner) => {
    const { db, consumer } = inner;
    const { name, status, settings } = input;
    const changed = { name, status, ...(settings && { settings }) };
    const tenant = await db.tenant.upsert({
      where: { consumerId_ref: { consumerId: consumer.id, ref } },
      create: { consumerId: consumer.id, ref, ...changed },
      update: changed,
    });
    await audit(inner, { action: 'tenant.put', target: ref, tenantId: tenant.id, details: { name, status } });
    // Nothing else of a tenant is anything that other processes keep.
    if (status === 'SUSPENDED') await notify(db, 'clarion_tenant', tenant.id);
    return presentTenant(tenant);
  });
}
