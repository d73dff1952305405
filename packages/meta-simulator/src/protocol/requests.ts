/** Parses the bodies of `/calls` and `/messages`. Pure; throws a GraphError that names the field. */
import { invalidParameter } from './errors.ts';
import { checkBusinessSdp } from './business-sdp.ts';
import { isObject, oneOf, optionalTextAt, textAt, valueAt, type Json } from './fields.ts';

const OPAQUE_DATA_MAX_CHARS = 512;
const BODY_TEXT_MAX_CHARS = 1024;
export const callActions = ['connect', 'pre_accept', 'accept', 'reject', 'terminate'] as const;
export type CallAction = (typeof callActions)[number];

/** Digits, or a business-scoped user ID. `to` has precedence. */
export interface Recipient {
  readonly waId: string | null;
  readonly userId: string | null;
}

export type CallsRequest =
  | {
      readonly action: 'connect';
      readonly recipient: Recipient;
      readonly sdp: string;
      readonly opaqueData: string | null;
    }
  | {
      readonly action: 'pre_accept' | 'accept';
      readonly callId: string;
      readonly sdp: string;
      readonly opaqueData: string | null;
    }
  | { readonly action: 'reject' | 'terminate'; readonly callId: string };

export function parseCallsRequest(body: Json): CallsRequest {
  messagingProduct(body);
  const action = oneOf(body, 'action', callActions);
  const opaqueData = optionalTextAt(body, 'biz_opaque_callback_data', OPAQUE_DATA_MAX_CHARS);
  if (action === 'connect')
    return { action, recipient: recipientOf(body), sdp: session(body, 'offer'), opaqueData };
  const callId = textAt(body, 'call_id');
  if (action === 'reject' || action === 'terminate') return { action, callId };
  return { action, callId, sdp: session(body, 'answer'), opaqueData };
}

export interface PermissionRequest {
  readonly recipient: Recipient;
  readonly text: string;
}

/** The only message that the simulator knows is the interactive call permission request. */
export function parsePermissionRequest(body: Json): PermissionRequest {
  messagingProduct(body);
  if (valueAt(body, 'recipient_type') !== undefined) oneOf(body, 'recipient_type', ['individual']);
  const recipient = recipientOf(body);
  oneOf(body, 'type', ['interactive']);
  oneOf(body, 'interactive.type', ['call_permission_request']);
  oneOf(body, 'interactive.action.name', ['call_permission_request']);
  return { recipient, text: textAt(body, 'interactive.body.text', BODY_TEXT_MAX_CHARS) };
}

function messagingProduct(body: Json): void {
  oneOf(body, 'messaging_product', ['whatsapp']);
}

function session(body: Json, type: 'offer' | 'answer'): string {
  if (!isObject(valueAt(body, 'session'))) throw invalidParameter('Param session must be a JSON object.');
  oneOf(body, 'session.sdp_type', [type]);
  const sdp = textAt(body, 'session.sdp');
  checkBusinessSdp(sdp, type);
  return sdp;
}

function recipientOf(body: Json): Recipient {
  const to = optionalTextAt(body, 'to');
  const userId = optionalTextAt(body, 'recipient');
  if (to !== null) return { waId: waIdOf(to, 'to'), userId: null };
  if (userId === null) throw invalidParameter('Param to or recipient is required.');
  return { waId: null, userId };
}

/** Digits only: Meta refuses a plus sign in a calls request. */
export function waIdOf(text: string, field: string): string {
  if (!/^\d{5,15}$/.test(text)) throw invalidParameter(`Param ${field} must be digits without a plus sign.`);
  return text;
}
