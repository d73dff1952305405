/** Webhook events (docs/requirements.md#events): name → payload in one union, and the envelope around it. */
import { z } from 'zod';
import { callView, recordingView } from './call.ts';
import { agentResource } from './v1/agents.ts';
import { tenantResource } from './v1/tenants.ts';
import { ownTrunkResource } from './v1/trunks.ts';

export const apiVersion = '1';

/** Every type `event_types` may name. Those that nothing records yet (`recordedEventTypes`) are accepted and not sent. */
export const eventTypes = [
  'call.created',
  'call.ringing',
  'call.answered',
  'call.transferred',
  'call.ended',
  'recording.completed',
  'recording.failed',
  'sip_trunk.status_changed',
  'agent.availability_changed',
  'tenant.balance_low',
  'tenant.suspended',
  'webhook.test',
] as const;
export type EventType = (typeof eventTypes)[number];

const callData = z.strictObject({ call: callView });
const recordingData = z.strictObject({
  call: callView,
  recording: z.strictObject({ ...recordingView.shape, callId: z.number().int() }),
});
const tenantData = z.strictObject({ tenant: tenantResource });

/** What `data` holds, by type: resources as the Management API answers them at the moment of the event. */
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
  'tenant.balance_low': tenantData,
  'tenant.suspended': tenantData,
  /** Asked for with `POST /v1/webhook/test`; sent whatever types were chosen. `sentBy` is null when a key asked. */
  'webhook.test': z.strictObject({ test: z.strictObject({ sentBy: z.string().nullable() }) }),
} as const satisfies Record<EventType, z.ZodType>;

/** The types something records today. */
export const recordedEventTypes = [
  'call.created',
  'call.ringing',
  'call.answered',
  'call.transferred',
  'call.ended',
  'recording.completed',
  'recording.failed',
  'sip_trunk.status_changed',
  'agent.availability_changed',
  'webhook.test',
] as const satisfies readonly EventType[];
export type RecordedEventType = (typeof recordedEventTypes)[number];
export type CallEventType = Extract<RecordedEventType, `call.${string}`>;

export const isRecorded = (type: EventType): type is RecordedEventType =>
  recordedEventTypes.some((recorded) => recorded === type);

export const envelope = z.strictObject({
  event_id: z.uuid(),
  event_type: z.enum(eventTypes),
  data: z.record(z.string(), z.unknown()),
  occurred_at: z.iso.datetime({ precision: 3 }),
  tenant_ref: z.string().nullable(),
  api_version: z.literal(apiVersion),
  /** Counts a call's events from 1, so that a receiver can order them without trusting clocks. */
  sequence: z.number().int().nullable(),
});
export type Envelope = z.infer<typeof envelope>;

/** Names the secret's signature: `t=<unix seconds>,v1=<hex>[,v1=<hex>]`. */
export const signatureHeader = 'X-Clarion-Signature';
