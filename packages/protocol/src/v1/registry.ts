/** Every endpoint of the Management API, by name. One entry, one route file, one verb. Those of the plan are in `planned.ts`. */
import { agentEndpoints } from './agents.ts';
import { audioEndpoints } from './audio.ts';
import { callEndpoints } from './calls.ts';
import { channelEndpoints } from './channels.ts';
import { customerEndpoints } from './customers.ts';
import { embedEndpoints } from './embed.ts';
import type { EndpointDefinition } from './endpoint.ts';
import { eventEndpoints } from './events.ts';
import { ivrFlowEndpoints } from './ivr-flows.ts';
import { overviewEndpoints } from './overview.ts';
import { auditEndpoints } from './audit.ts';
import { meEndpoints } from './me.ts';
import { meSecurityEndpoints } from './me-security.ts';
import { pushEndpoints } from './push.ts';
import { keyEndpoints } from './keys.ts';
import { realtimeTicketEndpoints } from './realtime-tickets.ts';
import { recordingPolicyEndpoints } from './recording-policy.ts';
import { queueEndpoints } from './queues.ts';
import { reportEndpoints } from './reports.ts';
import { tenantEndpoints } from './tenants.ts';
import { trunkEndpoints } from './trunks.ts';
import { usageEndpoints } from './usage.ts';
import { userEndpoints } from './users.ts';
import { webhookEndpoints } from './webhook.ts';
import { whatsAppEndpoints } from './whatsapp.ts';

export const registry = {
  ...tenantEndpoints,
  ...agentEndpoints,
  ...queueEndpoints,
  ...ivrFlowEndpoints,
  ...channelEndpoints,
  ...audioEndpoints,
  ...pushEndpoints,
  ...trunkEndpoints,
  ...callEndpoints,
  ...customerEndpoints,
  ...realtimeTicketEndpoints,
  ...reportEndpoints,
  ...overviewEndpoints,
  ...usageEndpoints,
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
