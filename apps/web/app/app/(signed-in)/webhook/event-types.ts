import type { WebhookEvent } from '../../../../lib/dashboard/edit/resources.ts';

export type EventType = WebhookEvent['eventType'];
export type EventStatus = WebhookEvent['status'];

/** When each comes, in a few words; null: nobody chooses it, it comes when it is asked for. */
export const eventTypeWords: Record<EventType, string | null> = {
  'call.created': 'A call exists',
  'call.ringing': 'It rings, waits or is in a flow',
  'call.answered': 'Somebody answered',
  'call.transferred': 'Another agent took it over',
  'call.ended': 'It is over, with all that is known of it',
  'recording.completed': 'A recording can be fetched',
  'recording.failed': 'A recording will not arrive',
  'sip_trunk.status_changed': 'The operator decided on a trunk',
  'agent.availability_changed': 'An agent became available, busy or away',
  'tenant.balance_low': 'A prepaid balance is low',
  'tenant.suspended': 'An account was suspended for what it owes',
  'webhook.test': null,
};

export const eventTypeList = Object.keys(eventTypeWords) as EventType[];

export const statusWords: Record<EventStatus, string> = {
  PENDING: 'On its way',
  DELIVERED: 'Delivered',
  FAILED: 'Given up',
  DISCARDED: 'Not sent',
};

export const statusTones = {
  PENDING: 'accent',
  DELIVERED: 'positive',
  FAILED: 'negative',
  DISCARDED: 'neutral',
} as const;
