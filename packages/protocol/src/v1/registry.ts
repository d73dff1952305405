/** Every endpoint of the Management API, by name. Each has one entry, one route file and one verb. */
import { agentEndpoints } from './tenant/agents.ts';
import { audioEndpoints } from './tenant/audio.ts';
import { callEndpoints } from './call/calls.ts';
import { carrierTemplateEndpoints } from './tenant/carrier-templates.ts';
import { channelEndpoints } from './tenant/channels.ts';
import { customerEndpoints } from './call/customers.ts';
import { embedEndpoints } from './account/embed.ts';
import type { EndpointDefinition } from './endpoint.ts';
import { eventEndpoints } from './account/events.ts';
import { ladderEndpoints } from './call/ladder.ts';
import { ivrFlowEndpoints } from './tenant/ivr-flows.ts';
import { numberEndpoints } from './tenant/numbers.ts';
import { overviewEndpoints } from './report/overview.ts';
import { auditEndpoints } from './account/audit.ts';
import { meEndpoints } from './account/me.ts';
import { meSecurityEndpoints } from './account/me-security.ts';
import { pushEndpoints } from './tenant/push.ts';
import { keyEndpoints } from './account/keys.ts';
import { realtimeTicketEndpoints } from './account/realtime-tickets.ts';
import { recordingPolicyEndpoints } from './account/recording-policy.ts';
import { accountBillingEndpoints } from './price/account-billing.ts';
import { pricePlanEndpoints } from './price/price-plans.ts';
import { rateDeckEndpoints } from './price/rate-decks.ts';
import { rateEntryEndpoints } from './price/rate-entries.ts';
import { rateExportEndpoints } from './price/rate-export.ts';
import { rateImportEndpoints } from './price/rate-imports.ts';
import { invoiceEndpoints } from './price/invoices.ts';
import { tenantBillingEndpoints } from './price/tenant-billing.ts';
import { trunkRateDeckEndpoints } from './price/trunk-rate-decks.ts';
import { queueEndpoints } from './tenant/queues.ts';
import { reportEndpoints } from './report/reports.ts';
import { tenantEndpoints } from './tenant/tenants.ts';
import { trunkChangeEndpoints } from './tenant/trunk-changes.ts';
import { trunkDiagnosticsEndpoints } from './tenant/trunk-diagnostics.ts';
import { trunkEndpoints } from './tenant/trunks.ts';
import { routePreviewEndpoints } from './price/route-preview.ts';
import { usageEndpoints } from './report/usage.ts';
import { usageRepriceEndpoints } from './report/usage-reprice.ts';
import { userEndpoints } from './account/users.ts';
import { webhookEndpoints } from './account/webhook.ts';
import { whatsAppEndpoints } from './tenant/whatsapp.ts';
import { whatsAppPermissionEndpoints } from './call/whatsapp-permission.ts';
import { whatsAppStatusEndpoints } from './tenant/whatsapp-status.ts';

export const registry = {
  ...tenantEndpoints,
  ...agentEndpoints,
  ...queueEndpoints,
  ...ivrFlowEndpoints,
  ...channelEndpoints,
  ...whatsAppStatusEndpoints,
  ...audioEndpoints,
  ...pushEndpoints,
  ...trunkEndpoints,
  ...trunkChangeEndpoints,
  ...carrierTemplateEndpoints,
  ...numberEndpoints,
  ...trunkDiagnosticsEndpoints,
  ...callEndpoints,
  ...ladderEndpoints,
  ...customerEndpoints,
  ...whatsAppPermissionEndpoints,
  ...realtimeTicketEndpoints,
  ...reportEndpoints,
  ...overviewEndpoints,
  ...routePreviewEndpoints,
  ...usageEndpoints,
  ...usageRepriceEndpoints,
  ...trunkRateDeckEndpoints,
  ...pricePlanEndpoints,
  ...tenantBillingEndpoints,
  ...accountBillingEndpoints,
  ...invoiceEndpoints,
  ...rateDeckEndpoints,
  ...rateEntryEndpoints,
  ...rateImportEndpoints,
  ...rateExportEndpoints,
  ...webhookEndpoints,
  ...eventEndpoints,
  ...keyEndpoints,
  ...recordingPolicyEndpoints,
  ...embedEndpoints,
  ...meEndpoints,
  ...meSecurityEndpoints,
  ...userEndpoints,
  ...auditEndpoints,
  ...whatsAppEndpoints,
} as const satisfies Record<string, EndpointDefinition>;

export type Registry = typeof registry;
export type EndpointName = keyof Registry;
