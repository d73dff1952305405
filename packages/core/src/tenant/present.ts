/** Tenant row → resource, with defaults for settings that were never set. */
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { TenantResource } from '@clarion/protocol/v1/tenant/tenants';
import type { Tenant } from '@clarion/db';

export const presentTenant = (tenant: Tenant): TenantResource => ({
  id: tenant.id,
  ref: tenant.ref,
  name: tenant.name,
  status: tenant.status,
  settings: tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings)),
  pricePlanId: tenant.pricePlanId,
  createdAt: tenant.createdAt.toISOString(),
  updatedAt: tenant.updatedAt.toISOString(),
});
