/** The event types of the webhooks guide. A type that the protocol gains does not compile until it is said here when it is sent. */
import { eventData, eventTypes, isRecorded } from '@clarion/protocol';
import type { EventType } from '@clarion/protocol';
import { comingNote } from './coming.ts';
import { fieldTable } from './reference/fields.ts';
import { table } from './tables.ts';

interface Said {
  when: string;
  /** What `data` holds, in short. */
  data: string;
}

const call = '{ call }';
const said: Record<EventType, Said> = {
  'call.created': {
    when: 'A call exists: an inbound one arrived, or your backend created an outbound intent.',
    data: call,
  },
  'call.ringing': {
    when: 'Inbound: it is in the IVR, waits in a queue, or is offered. Outbound: the customer is being called.',
    data: call,
  },
  'call.answered': {
    when: "Inbound: an agent's audio is connected. Outbound: the customer answered.",
    data: call,
  },
  'call.transferred': { when: 'Another agent took the call over.', data: call },
  'call.ended': {
    when: 'The call is over: how it went (`terminationReason`, `terminatedBy`), `durations` in seconds, the line (`channelRef`), the agent who talked last (`agentRef`), the customer, your `externalRef` and `consumerMetadata`, and `failureDetails` when something failed. Exactly one per call, whatever happens.',
    data: call,
  },
  'recording.completed': {
    when: 'The recording can be fetched with `GET /v1/calls/{callId}/recording`.',
    data: '{ call, recording }',
  },
  'recording.failed': {
    when: 'The recording will not arrive; `recording.failureReason` says why.',
    data: '{ call, recording }',
  },
  'sip_trunk.status_changed': {
    when: 'The operator decided on one of your trunks: approved, sent back, suspended, or lifted the suspension.',
    data: '{ trunk }',
  },
  'agent.availability_changed': {
    when: 'What queues go by changed for an agent: they chose it, a call began or ended, or too many missed calls took them offline.',
    data: '{ agent }',
  },
  'tenant.balance_low': { when: "A tenant's prepaid balance is low.", data: '{ tenant }' },
  'tenant.suspended': { when: "A tenant's account was suspended for what it owes.", data: '{ tenant }' },
  'webhook.test': {
    when: 'You asked for it with `POST /v1/webhook/test` or on the webhook page of the dashboard. It comes whatever types you chose.',
    data: '{ test }',
  },
};

export const eventTypeTable = (): string =>
  table(
    ['Type', '`data`', 'Sent'],
    eventTypes.map((type) => [
      `\`${type}\``,
      `\`${said[type].data}\``,
      isRecorded(type) ? 'yes' : 'coming: it may be chosen, and is not sent yet',
    ]),
  );

/** One part per type; the fields where they are more than the call view, which has a table of its own. */
export const eventTypeSections = (): string =>
  eventTypes
    .flatMap((type) => {
      const { when, data } = said[type];
      const fields = data === call ? [] : [fieldTable(eventData[type], 'call')];
      return [`### ${type}`, isRecorded(type) ? when : comingNote(when), ...fields];
    })
    .join('\n\n');
