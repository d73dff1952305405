/** Webhook events (spec, Events; design section 4): name → payload in one union, and the envelope around it. */
import { z } from 'zod';
import { callView } from './call.ts';

export const apiVersion = '1';

/** Every type `event_types` may name. Types whose producer is not built yet are accepted and never sent. */
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
] as const;
export type EventType = (typeof eventTypes)[number];

const callData = z.strictObject({ call: callView });

export const eventData = {
  'call.created': callData,
  'call.ringing': callData,
  'call.answered': callData,
  'call.ended': callData,
} as const satisfies Partial<Record<EventType, z.ZodType>>;
/** The types something records today. */
export type RecordedEventType = keyof typeof eventData;

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
