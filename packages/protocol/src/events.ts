/** Webhook events (docs/requirements.md#events): name → payload in one union, and the envelope around it. */
import { z } from 'zod';
import { callView, recordingView } from './call.ts';
import { whatsAppPermissionResource } from './v1/call/whatsapp-permission.ts';
import { billingAccountResource } from './v1/price/tenant-billing.ts';
import { agentResource } from './v1/tenant/agents.ts';
import { tenantResource } from './v1/tenant/tenants.ts';
import { ownTrunkResource } from './v1/tenant/trunks.ts';

export const apiVersion = '1';

const callData = z.strictObject({ call: callView });
const recordingData = z.strictObject({
  call: callView,
  recording: z.strictObject({ ...recordingView.shape, callId: z.number().int() }),
});
const billingData = z.strictObject({ tenant: tenantResource, account: billingAccountResource });

/**
 * The contents of `data` by type: resources as the Management API returns them at the time of the event. This is the list of all types,
 * in the order in which they are documented.
 */
export const eventData = {
  'call.created': callData,
  'call.ringing': callData,
  'call.answered': callData,
  'call.transferred': callData,
  'call.ended': callData,
  'recording.completed': recordingData,
  'recording.failed': recordingData,
  /** Each decision of the operator on one of the consumer's own trunks. */
  'sip_trunk.status_changed': z.strictObject({ trunk: ownTrunkResource }),
  'agent.availability_changed': z.strictObject({ agent: agentResource }),
  /** The customer replied to a request, or WhatsApp or a refused call showed that the permission is different. */
  'whatsapp.permission_changed': z.strictObject({ permission: whatsAppPermissionResource }),
  /** Once each time the balance becomes low: again only after it was not. */
  'tenant.balance_low': billingData,
  /** Because of overdue invoices: the billing account, not the tenant's own status. */
  'tenant.suspended': billingData,
  /** Requested with `POST /v1/webhook/test`; sent whatever types were selected. `sentBy` is null for requests with an API key. */
  'webhook.test': z.strictObject({ test: z.strictObject({ sentBy: z.string().nullable() }) }),
} as const satisfies Record<string, z.ZodType>;
export type EventType = keyof typeof eventData;

/** Every type `event_types` may name. */
export const eventTypes = Object.keys(eventData) as readonly EventType[];

/** The types that contain a tenant's billing account: in the dashboard only owners see these events. */
export const billingEventTypes: readonly EventType[] = eventTypes.filter(
  (type) => eventData[type] === billingData,
);

export type CallEventType = Extract<EventType, `call.${string}`>;

export const envelope = z.strictObject({
  event_id: z.uuid(),
  event_type: z.enum(eventTypes),
  data: z.record(z.string(), z.unknown()),
  occurred_at: z.iso.datetime({ precision: 3 }),
  tenant_ref: z.string().nullable(),
  api_version: z.literal(apiVersion),
  /** Numbers a call's events from 1, so that receivers can order them without relying on clocks. */
  sequence: z.number().int().nullable(),
});
export type Envelope = z.infer<typeof envelope>;

/** The header with the signature: `t=<unix seconds>,v1=<hex>[,v1=<hex>]`. */
export const signatureHeader = 'X-Clarion-Signature';
