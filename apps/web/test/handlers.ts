/** Endpoint name → the handler that its route file exports. */
import * as tenant from '../app/v1/tenants/[tenantRef]/route.ts';
import * as tenants from '../app/v1/tenants/route.ts';
import * as events from '../app/v1/events/route.ts';
import * as redeliver from '../app/v1/events/[eventId]/redeliver/route.ts';
import * as webhookSecret from '../app/v1/webhook/secret/route.ts';
import * as webhook from '../app/v1/webhook/route.ts';

export const handlers = {
  putWebhook: webhook.PUT,
  getWebhook: webhook.GET,
  rotateWebhookSecret: webhookSecret.POST,
  listEvents: events.GET,
  redeliverEvent: redeliver.POST,
  putTenant: tenant.PUT,
  getTenant: tenant.GET,
  deleteTenant: tenant.DELETE,
  listTenants: tenants.GET,
};
