/** Endpoint name → the handler that its route file exports. */
import * as tenant from '../app/v1/tenants/[tenantRef]/route.ts';
import * as tenants from '../app/v1/tenants/route.ts';

export const handlers = {
  putTenant: tenant.PUT,
  getTenant: tenant.GET,
  deleteTenant: tenant.DELETE,
  listTenants: tenants.GET,
};
