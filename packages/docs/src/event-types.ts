/** The event types of the webhooks guide. A new type of the protocol does not compile until it is described here. */
import { eventData, eventTypes } from '@clarion/protocol';
import type { EventType } from '@clarion/protocol';
import { fieldTable } from './reference/fields.ts';
import { table } from './tables.ts';

interface EventDescription {
  /** When it is sent. */
  when: string;
  /** The shape of `data`, in short. */
  data: string;
}

const call = '{ call }';
const descriptions: Record<EventType, EventDescription> = {
  'call.created': {
    when: 'A call was created: an inbound call arrived, or your backend created an outbound intent.',
    data: call,
  },
  'call.ringing': {
    when: 'Inbound: the call is in the IVR, waiting in a queue, or offered to an agent. Outbound: the customer is being called.',
    data: call,
  },
  'call.answered': {
    when: "Inbound: an agent's audio is connected. Outbound: the customer answered.",
    data: call,
  },
  'call.transferred': { when: 'The call was transferred to another agent.', data: call },
  'call.ended': {
    when: 'The call ended. The event contains the outcome (`terminationReason`, `terminatedBy`), the `durations` in seconds, the line (`channelRef`), the agent who talked last (`agentRef`), the customer, your `externalRef` and `consumerMetadata`, and `failureDetails` if an error occurred. Exactly one is sent for every call.',
    data: call,
  },
  'recording.completed': {
    when: 'The recording is available at `GET /v1/calls/{callId}/recording`.',
    data: '{ call, recording }',
  },
  'recording.failed': {
    when: 'The recording will not arrive. The reason is in `recording.failureReason`.',
    data: '{ call, recording }',
  },
  'sip_trunk.status_changed': {
    when: 'The operator approved, rejected or suspended one of your trunks, or lifted its suspension.',
    data: '{ trunk }',
  },
  'agent.availability_changed': {
    when: 'The availability of an agent changed: the agent changed it, a call began or ended, or auto-offline applied.',
    data: '{ agent }',
  },
  'whatsapp.permission_changed': {
    when: 'A customer allowed calls from a WhatsApp line, refused them or revoked the permission, or WhatsApp reported that it changed. None is sent when a temporary permission expires: `expiresAt` is in the event that granted it.',
    data: '{ permission }',
  },
  'tenant.balance_low': {
    when: "A tenant's prepaid balance fell below 10 % of its last top-up, or it used more than 90 % of its credit limit. It is sent once, and again only after the balance was higher.",
    data: '{ tenant, account }',
  },
  'tenant.suspended': {
    when: "A tenant's billing account was suspended because of overdue invoices.",
    data: '{ tenant, account }',
  },
  'webhook.test': {
    when: 'You requested a test with `POST /v1/webhook/test` or on the Webhook page of the dashboard. It is sent whatever types you selected.',
    data: '{ test }',
  },
};

export const eventTypeTable = (): string =>
  table(
    ['Type', '`data`'],
    eventTypes.map((type) => [`\`${type}\``, `\`${descriptions[type].data}\``]),
  );

/** One section per type, with its fields unless they are those of the call, which have a table of their own. */
export const eventTypeSections = (): string =>
  eventTypes
    .flatMap((type) => {
      const { when, data } = descriptions[type];
      const fields = data === call ? [] : [fieldTable(eventData[type], 'call')];
      return [`### ${type}`, when, ...fields];
    })
    .join('\n\n');
