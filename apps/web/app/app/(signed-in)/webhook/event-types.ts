import type { WebhookEvent } from '#lib/dashboard/edit/resources.ts';

export type EventType = WebhookEvent['eventType'];
export type EventStatus = WebhookEvent['status'];

/** When each event is sent; null: it cannot be selected because it is sent on request. */
export const eventTypeDescriptions: Record<EventType, string | null> = {
  'call.created': 'A call was created',
  'call.ringing': 'The call is ringing, waiting or in an IVR flow',
  'call.answered': 'The call was answered',
  'call.transferred': 'The call was transferred to another agent',
  'call.ended': 'The call ended, with all its details',
  'recording.completed': 'A recording is available',
  'recording.failed': 'A recording failed',
  'sip_trunk.status_changed': 'The operator changed the status of a trunk',
  'agent.availability_changed': 'An agent became available, busy or away',
  'whatsapp.permission_changed': 'A customer allowed or refused calls from a WhatsApp line',
  'tenant.balance_low': "A tenant's prepaid balance is low, or its credit limit is nearly reached",
  'tenant.suspended': "A tenant's billing account was suspended",
  'webhook.test': null,
};

export const eventTypeList = Object.keys(eventTypeDescriptions) as EventType[];

export const statusLabels: Record<EventStatus, string> = {
  PENDING: 'Pending',
  DELIVERED: 'Delivered',
  FAILED: 'Failed',
  DISCARDED: 'Discarded',
};

export const statusTones = {
  PENDING: 'accent',
  DELIVERED: 'positive',
  FAILED: 'negative',
  DISCARDED: 'neutral',
} as const;
