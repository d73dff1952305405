/** Tenant row → resource, with the defaults of settings that were never set. */
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { TenantResource } from '@clarion/protocol/v1/tenant/tenants';
import type { Tenant } from '@clarion/db';

export const presentTenant = (tenant: Tenant): TenantResource => ({
  id: tenant.id,
  ref: tenant.ref,
  name: tenant.name,
  status: tenant.status,
  settings: tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings)),
  createdAt: tenant.createdAt.toISOString(),
  updatedAt: tenant.updatedAt.toISOString(),
});
