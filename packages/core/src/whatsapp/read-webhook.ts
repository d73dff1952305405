/**
 * Parses WhatsApp's webhook JSON into call events. Pure, and never throws: anything that is not a call event of a known kind, or that has a
 * field of an unexpected type, is omitted. One webhook can contain several events of several numbers.
 */
import { createHash } from 'node:crypto';
import { storableText } from '@clarion/protocol/storable-text';
import type { StoredWhatsAppCall } from '@clarion/protocol/v1/tenant/whatsapp';
import { z } from 'zod';
import { whatsAppAddress } from '../numbers/whatsapp-customer.ts';
import {
  changesOf,
  dateOf,
  id,
  list,
  lowerWord,
  MAX_EXAMINED_ENTRIES,
  maybe,
  metadata,
  moment,
  readable,
  seconds,
  shortText,
  upperWord,
} from '../whatsapp-graph/webhook-fields.ts';
import type { EntryLimit } from '../whatsapp-graph/webhook-fields.ts';

export interface WhatsAppCallEvent {
  /** `metadata.phone_number_id`: the provider_account_id of a line. */
  phoneNumberId: string;
  call: StoredWhatsAppCall;
  /** E.164 with `+`, or the platform's user ID of a person who hides the number; null if there is neither. */
  customerAddress: string | null;
  occurredAt: Date | null;
  /** SHA-256 of the input: the platform repeats webhooks, and two endpoints may receive the same one. */
  digest: Uint8Array<ArrayBuffer>;
}

/** The platform sends far smaller batches. */
export const MAX_EVENTS_PER_WEBHOOK = 1000;
/** The platform's SDP offers have about 1,500 characters. */
const SDP_MAX_CHARS = 65_536;
const MAX_ERRORS = 10;
const MAX_DURATION_SECONDS = 366 * 24 * 60 * 60;

const callEvent = z.object({
  id,
  event: lowerWord.pipe(z.enum(['connect', 'terminate'])),
  direction: maybe(upperWord.pipe(z.enum(['USER_INITIATED', 'BUSINESS_INITIATED']))),
  from: shortText,
  to: shortText,
  from_user_id: shortText,
  to_user_id: shortText,
  timestamp: moment,
  session: maybe(
    z.object({
      sdp_type: lowerWord.pipe(z.enum(['offer', 'answer'])),
      sdp: z.string().max(SDP_MAX_CHARS).transform(storableText),
    }),
  ),
  status: maybe(upperWord),
  start_time: moment,
  end_time: moment,
  duration: seconds(0, MAX_DURATION_SECONDS),
  biz_opaque_callback_data: shortText,
  cta_payload: shortText,
  deeplink_payload: shortText,
});

const statusEvent = z.object({
  id,
  type: lowerWord.pipe(z.literal('call')),
  status: upperWord,
  timestamp: moment,
  recipient_id: shortText,
  recipient_user_id: shortText,
  biz_opaque_callback_data: shortText,
});

const contact = z.object({
  wa_id: shortText,
  user_id: shortText,
  profile: maybe(z.object({ name: shortText })),
});
type Contact = z.output<typeof contact>;

const failure = z
  .object({
    code: z.number().int(),
    message: shortText,
    title: shortText,
    error_data: maybe(z.object({ details: shortText })),
  })
  .transform(({ code, message, title, error_data }) => ({
    code,
    message: message ?? title ?? '',
    details: error_data?.details ?? null,
  }));
type Failure = z.output<typeof failure>;

const callsChange = z.object({
  field: z.literal('calls'),
  value: z.object({
    metadata,
    contacts: list,
    calls: list,
    statuses: list,
    errors: list,
  }),
});
type Change = z.output<typeof callsChange>['value'];

export function readWhatsAppWebhook(webhook: unknown): WhatsAppCallEvent[] {
  const events: WhatsAppCallEvent[] = [];
  const limit: EntryLimit = { left: MAX_EXAMINED_ENTRIES };
  for (const { value } of changesOf(webhook, callsChange, limit)) {
    for (const event of eventsOf(value, limit)) {
      events.push(event);
      if (events.length >= MAX_EVENTS_PER_WEBHOOK) return events;
    }
  }
  return events;
}

function* eventsOf({ metadata: line, ...value }: Change, limit: EntryLimit): Generator<WhatsAppCallEvent> {
  const contacts = [...readable(contact, value.contacts.slice(0, MAX_EVENTS_PER_WEBHOOK), limit)];
  const errors = [...readable(failure, value.errors.slice(0, MAX_ERRORS), limit)];
  for (const call of readable(callEvent, value.calls, limit)) yield ofCall(call, line, contacts, errors);
  for (const status of readable(statusEvent, value.statuses, limit)) {
    yield ofStatus(status, line, contacts);
  }
}

function ofCall(
  call: z.output<typeof callEvent>,
  { phone_number_id, display_phone_number }: Change['metadata'],
  contacts: readonly Contact[],
  errors: Failure[],
): WhatsAppCallEvent {
  const direction = call.direction ?? directionOf(call, display_phone_number);
  const outbound = direction === 'BUSINESS_INITIATED';
  const number = outbound ? call.to : call.from;
  const userId = outbound ? call.to_user_id : call.from_user_id;
  return finished(phone_number_id, number, userId, call.timestamp, {
    id: call.id,
    event: call.event,
    direction,
    from: call.from,
    to: call.to,
    userId,
    name: nameOf(contacts, number, userId),
    sdp: call.session && { type: call.session.sdp_type, text: call.session.sdp },
    status: call.status,
    startTime: call.start_time,
    endTime: call.end_time,
    durationSeconds: call.duration,
    opaqueData: call.biz_opaque_callback_data,
    ctaPayload: call.cta_payload,
    deeplinkPayload: call.deeplink_payload,
    errors: call.event === 'terminate' ? errors : [],
  });
}

/** Some of the platform's own samples omit it. The party that sends the SDP offer is the caller; one of the two numbers is the line's. */
function directionOf(
  { session, from, to }: z.output<typeof callEvent>,
  lineNumber: string | null,
): StoredWhatsAppCall['direction'] {
  if (session) return session.sdp_type === 'offer' ? 'USER_INITIATED' : 'BUSINESS_INITIATED';
  if (lineNumber === null) return null;
  if (from !== null && digitsOf(from) === digitsOf(lineNumber)) return 'BUSINESS_INITIATED';
  return to !== null && digitsOf(to) === digitsOf(lineNumber) ? 'USER_INITIATED' : null;
}

function ofStatus(
  status: z.output<typeof statusEvent>,
  { phone_number_id }: Change['metadata'],
  contacts: readonly Contact[],
): WhatsAppCallEvent {
  const { recipient_id: number, recipient_user_id: userId } = status;
  return finished(phone_number_id, number, userId, status.timestamp, {
    id: status.id,
    event: 'status',
    direction: 'BUSINESS_INITIATED',
    from: null,
    to: number,
    userId,
    name: nameOf(contacts, number, userId),
    sdp: null,
    status: status.status,
    startTime: null,
    endTime: null,
    durationSeconds: null,
    opaqueData: status.biz_opaque_callback_data,
    ctaPayload: null,
    deeplinkPayload: null,
    errors: [],
  });
}

function finished(
  phoneNumberId: string,
  number: string | null,
  userId: string | null,
  timestamp: number | null,
  call: StoredWhatsAppCall,
): WhatsAppCallEvent {
  // The profile name can change between two repetitions of an event.
  const { name: _, ...told } = call;
  return {
    phoneNumberId,
    call,
    customerAddress: whatsAppAddress(number, userId),
    occurredAt: dateOf(timestamp),
    digest: new Uint8Array(
      createHash('sha256')
        .update(JSON.stringify([told, timestamp]))
        .digest(),
    ),
  };
}

function nameOf(contacts: readonly Contact[], number: string | null, userId: string | null): string | null {
  const found = contacts.find(
    ({ wa_id, user_id }) => (number !== null && wa_id === number) || (userId !== null && user_id === userId),
  );
  return found?.profile?.name ?? null;
}

const digitsOf = (text: string) => text.replaceAll(/\D/g, '');
