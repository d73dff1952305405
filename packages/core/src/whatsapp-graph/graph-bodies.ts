/** The requests and responses of Meta's Graph API for calling, as data. Pure. */
import { storableText } from '@clarion/protocol/storable-text';
import { z } from 'zod';
import { recipientOf } from '../numbers/whatsapp-customer.ts';
import type { GraphError } from './graph-errors.ts';
import {
  dateOf,
  list,
  lowerWord,
  maybe,
  moment,
  shortText,
  TEXT_MAX_CHARS,
  upperWord,
  words,
} from './webhook-fields.ts';

export type SdpType = 'offer' | 'answer';

/** Returned unchanged in every webhook of the call. Visible to every app that is subscribed to the account: never a secret. */
export const OPAQUE_MAX_CHARS = 512;

const PRODUCT = { messaging_product: 'whatsapp' } as const;

const session = (type: SdpType, sdp: string) => ({ session: { sdp_type: type, sdp } });

export const connectBody = (address: string, sdpOffer: string, opaque: string) => ({
  ...PRODUCT,
  ...recipientOf(address),
  action: 'connect',
  ...session('offer', sdpOffer),
  biz_opaque_callback_data: opaque.slice(0, OPAQUE_MAX_CHARS),
});

/** The business answers with the same SDP in pre_accept and accept. */
export const answerBody = (action: 'pre_accept' | 'accept', callId: string, sdpAnswer: string) => ({
  ...PRODUCT,
  call_id: callId,
  action,
  ...session('answer', sdpAnswer),
});

export const endBody = (action: 'reject' | 'terminate', callId: string) => ({
  ...PRODUCT,
  call_id: callId,
  action,
});

/** A message that asks the customer to allow calls. Valid within 24 hours after the customer has written. */
export const permissionRequestBody = (address: string, text: string) => ({
  ...PRODUCT,
  recipient_type: 'individual',
  ...recipientOf(address),
  type: 'interactive',
  interactive: {
    type: 'call_permission_request',
    action: { name: 'call_permission_request' },
    body: { text },
  },
});

/** The query of `call_permissions`: digits of the number, or the user ID. */
export function permissionQuery(address: string): string {
  const recipient = recipientOf(address);
  const query = new URLSearchParams(
    'to' in recipient ? { user_wa_id: recipient.to } : { recipient: recipient.recipient },
  );
  return query.toString();
}

const connected = z.object({ calls: z.tuple([z.object({ id: words(TEXT_MAX_CHARS) })]).rest(z.unknown()) });
/** The ID of the call at Meta; null: not a valid response. */
export const readConnected = (json: unknown): string | null =>
  connected.safeParse(json).data?.calls[0].id ?? null;

/** Some of Meta's samples omit messaging_product, so only `success` counts. Null: not a valid response. */
export const readDone = (json: unknown): true | null =>
  z.object({ success: z.literal(true) }).safeParse(json).success || null;

const sent = z.object({ messages: z.tuple([z.object({ id: words(TEXT_MAX_CHARS) })]).rest(z.unknown()) });
/** The ID of the message; null: not a valid response. */
export const readSent = (json: unknown): string | null => sent.safeParse(json).data?.messages[0].id ?? null;

export interface CurrentPermission {
  status: 'none' | 'temporary' | 'permanent';
  expiresAt: Date | null;
  /** Whether Meta would accept a call now; null: not reported. */
  canCall: boolean | null;
  /** Whether Meta would accept another permission request now; null: not reported. */
  canRequest: boolean | null;
}

const permission = z.object({
  permission: z.object({
    status: lowerWord.pipe(z.enum(['no_permission', 'temporary', 'permanent'])),
    expiration_time: moment,
  }),
  actions: list,
});
const action = z.object({ action_name: words(TEXT_MAX_CHARS), can_perform_action: z.boolean() });

export function readPermission(json: unknown): CurrentPermission | null {
  const { data } = permission.safeParse(json);
  if (!data) return null;
  const actions = data.actions.flatMap((one) => action.safeParse(one).data ?? []);
  const may = (name: string) => actions.find((one) => one.action_name === name)?.can_perform_action ?? null;
  const { status, expiration_time } = data.permission;
  return {
    status: status === 'no_permission' ? 'none' : status,
    expiresAt: status === 'temporary' ? dateOf(expiration_time) : null,
    canCall: may('start_call'),
    canRequest: may('send_call_permission_request'),
  };
}

/** What a line's checklist shows. Null: not reported. */
export interface CallingSettings {
  enabled: boolean | null;
  iconVisible: boolean | null;
  callbackPermission: boolean | null;
  /** Calls of a number in SIP mode never reach the Graph API. */
  sipEnabled: boolean | null;
  srtpKeyExchange: string | null;
}

const status = maybe(upperWord);
const settings = z.object({
  calling: z.object({
    status,
    call_icon_visibility: status,
    callback_permission_status: status,
    srtp_key_exchange_protocol: status,
    sip: maybe(z.object({ status })),
  }),
});

export function readCallingSettings(json: unknown): CallingSettings | null {
  const calling = settings.safeParse(json).data?.calling;
  if (!calling) return null;
  const is = (value: string | null, wanted: string) => (value === null ? null : value === wanted);
  return {
    enabled: is(calling.status, 'ENABLED'),
    iconVisible: is(calling.call_icon_visibility, 'DEFAULT'),
    callbackPermission: is(calling.callback_permission_status, 'ENABLED'),
    sipEnabled: is(calling.sip?.status ?? null, 'ENABLED'),
    srtpKeyExchange: calling.srtp_key_exchange_protocol,
  };
}

/** The fields that `readPhoneNumber` reads. Meta rejects a request that names an unknown one. */
export const PHONE_NUMBER_FIELDS = 'display_phone_number,verified_name,quality_rating,status';

export interface PhoneNumberInfo {
  displayPhoneNumber: string;
  verifiedName: string | null;
  qualityRating: string | null;
  status: string | null;
}

const phoneNumber = z.object({
  display_phone_number: words(TEXT_MAX_CHARS),
  verified_name: shortText,
  quality_rating: status,
  status,
});

export function readPhoneNumber(json: unknown): PhoneNumberInfo | null {
  const { data } = phoneNumber.safeParse(json);
  if (!data) return null;
  return {
    displayPhoneNumber: data.display_phone_number,
    verifiedName: data.verified_name,
    qualityRating: data.quality_rating,
    status: data.status,
  };
}

const graphError = z.object({
  error: z.object({
    code: maybe(z.number().int()),
    error_subcode: maybe(z.number().int()),
    message: z.string().catch('').default(''),
    error_data: maybe(z.object({ details: z.string().nullable().catch(null).default(null) })),
  }),
});

/** Texts from Meta are shown to the consumer and stored. */
const bounded = (text: string) => storableText(text).slice(0, TEXT_MAX_CHARS);

/** Never fails: a response without an error object is an error without a code. */
export function readGraphError(json: unknown): GraphError {
  const error = graphError.safeParse(json).data?.error;
  return {
    code: error?.code ?? null,
    subcode: error?.error_subcode ?? null,
    message: bounded(error?.message ?? ''),
    details: error?.error_data?.details ? bounded(error.error_data.details) : null,
  };
}
