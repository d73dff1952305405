/**
 * The platform's webhook JSON → the call events in it. Pure, and never fails: whatever is not a call event of a known kind, or
 * has a field of another shape than the platform's, is left out. One webhook can carry several events of several numbers.
 */
import { createHash } from 'node:crypto';
import { storableText } from '@clarion/protocol/storable-text';
import type { StoredWhatsAppCall } from '@clarion/protocol/v1/tenant/whatsapp';
import { z } from 'zod';

export interface WhatsAppCallEvent {
  /** `metadata.phone_number_id`: the provider_account_id of a line. */
  phoneNumberId: string;
  call: StoredWhatsAppCall;
  /** E.164 with `+`, or the platform's user id of a person who hides the number; null when neither is told. */
  customerAddress: string | null;
  occurredAt: Date | null;
  /** SHA-256 of what was read: the platform tells some things twice, and two ways in may both tell them. */
  digest: Uint8Array<ArrayBuffer>;
}

/** The platform batches far fewer; what a hostile sender adds is not read, nor looked at for long. */
export const MAX_EVENTS_PER_WEBHOOK = 1000;
const MAX_LOOKED_AT = 10_000;
const ID_MAX_CHARS = 512;
const TEXT_MAX_CHARS = 1024;
/** An offer of the platform is about 1,500 characters. */
const SDP_MAX_CHARS = 65_536;
const MAX_ERRORS = 10;
/** Moments beyond are no moments of a call: 2000-01-01 to 2100-01-01. */
const MOMENT_SECONDS = { min: 946_684_800, max: 4_102_444_800 };
const MAX_DURATION_SECONDS = 366 * 24 * 60 * 60;

const words = (max: number) =>
  z
    .union([z.string(), z.number().transform(String)])
    .transform((text) => storableText(text).trim())
    .pipe(z.string().min(1).max(max));
/** A field that is missing or odd is null: an event is worth more than each of its fields. */
const maybe = <T extends z.ZodType>(inner: T) => inner.nullable().catch(null).default(null);
const shortText = maybe(words(TEXT_MAX_CHARS));
const upperText = maybe(words(TEXT_MAX_CHARS).transform((text) => text.toUpperCase()));
const seconds = (min: number, max: number) => maybe(z.coerce.number().int().min(min).max(max));
const moment = maybe(
  words(TEXT_MAX_CHARS)
    .transform(Number)
    .pipe(z.number().int().min(MOMENT_SECONDS.min).max(MOMENT_SECONDS.max)),
);
/** Each entry is read by itself later: one that is odd does not spoil the others. */
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const list = z.unknown().default([]).transform(listOf);

const callEvent = z.object({
  id: words(ID_MAX_CHARS),
  event: words(TEXT_MAX_CHARS)
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(['connect', 'terminate'])),
  direction: maybe(
    words(TEXT_MAX_CHARS)
      .transform((text) => text.toUpperCase())
      .pipe(z.enum(['USER_INITIATED', 'BUSINESS_INITIATED'])),
  ),
  from: shortText,
  to: shortText,
  from_user_id: shortText,
  to_user_id: shortText,
  timestamp: moment,
  session: maybe(
    z.object({
      sdp_type: words(TEXT_MAX_CHARS)
        .transform((text) => text.toLowerCase())
        .pipe(z.enum(['offer', 'answer'])),
      sdp: z.string().max(SDP_MAX_CHARS).transform(storableText),
    }),
  ),
  status: upperText,
  start_time: moment,
  end_time: moment,
  duration: seconds(0, MAX_DURATION_SECONDS),
  biz_opaque_callback_data: shortText,
  cta_payload: shortText,
  deeplink_payload: shortText,
});

const statusEvent = z.object({
  id: words(ID_MAX_CHARS),
  type: words(TEXT_MAX_CHARS).refine((type) => type.toLowerCase() === 'call'),
  status: words(TEXT_MAX_CHARS).transform((text) => text.toUpperCase()),
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
    metadata: z.object({ phone_number_id: words(ID_MAX_CHARS), display_phone_number: shortText }),
    contacts: list,
    calls: list,
    statuses: list,
    errors: list,
  }),
});
type Change = z.output<typeof callsChange>['value'];

export function readWhatsAppWebhook(webhook: unknown): WhatsAppCallEvent[] {
  const events: WhatsAppCallEvent[] = [];
  for (const event of eventsIn(webhook, { left: MAX_LOOKED_AT })) {
    events.push(event);
    if (events.length >= MAX_EVENTS_PER_WEBHOOK) break;
  }
  return events;
}

/** How many more entries are looked at, of whatever list. */
interface Patience {
  left: number;
}

function* eventsIn(webhook: unknown, patience: Patience): Generator<WhatsAppCallEvent> {
  for (const { changes } of readable(z.object({ changes: list }), entriesOf(webhook), patience)) {
    for (const { value } of readable(callsChange, changes, patience)) yield* eventsOf(value, patience);
  }
}

const entriesOf = (webhook: unknown): unknown[] =>
  z.object({ entry: list }).safeParse(webhook).data?.entry ?? [];

/** Those of `entries` that `schema` can read, as they are asked for. */
function* readable<T extends z.ZodType>(
  schema: T,
  entries: readonly unknown[],
  patience: Patience,
): Generator<z.output<T>> {
  for (const entry of entries) {
    if (patience.left <= 0) return;
    patience.left -= 1;
    const read = schema.safeParse(entry);
    if (read.success) yield read.data;
  }
}

function* eventsOf({ metadata, ...value }: Change, patience: Patience): Generator<WhatsAppCallEvent> {
  const contacts = [...readable(contact, value.contacts.slice(0, MAX_EVENTS_PER_WEBHOOK), patience)];
  const errors = [...readable(failure, value.errors.slice(0, MAX_ERRORS), patience)];
  for (const call of readable(callEvent, value.calls, patience))
    yield ofCall(call, metadata, contacts, errors);
  for (const status of readable(statusEvent, value.statuses, patience)) {
    yield ofStatus(status, metadata, contacts);
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

/** Some of the platform's own samples leave it out. The side that offers has called; of the two numbers one is the line's. */
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
  // The name on a profile can change between two tellings of one event.
  const { name: _, ...told } = call;
  return {
    phoneNumberId,
    call,
    customerAddress: number === null ? userId : addressOf(number),
    occurredAt: timestamp === null ? null : new Date(timestamp * 1000),
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
/** The platform writes numbers in digits alone. */
const addressOf = (number: string) => (/^\d+$/.test(number) ? `+${number}` : number);
