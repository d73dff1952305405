/**
 * Messages that match no dialog or transaction. All are counted per source. Requests that are valid only inside a
 * dialog or transaction get at most one stateless response, and none that is longer than the request (which is possible
 * with compact header names): forging the source address gains nothing.
 */
import { createHash } from 'node:crypto';
import { buildResponse, reasonPhrase } from '../message/build.ts';
import type { SipMessage } from '../message/message.ts';
import { stampVia } from '../message/via.ts';
import type { Peer } from '../transport/transport.ts';
import type { Context } from './context.ts';
import { dialogFor } from './network-requests.ts';

/** Whether a request belongs to an existing transaction or dialog. */
export function isKnownRequest(context: Context, request: SipMessage): boolean {
  if (context.layer.isKnown(request)) return true;
  if (request.method === 'CANCEL') return context.layer.inviteOf(request) !== undefined;
  return request.toTag !== '' && dialogFor(context, request) !== undefined;
}

/** Whether a response belongs to one of our requests, or repeats a 2xx of one of our calls. */
export function isKnownResponse(context: Context, response: SipMessage): boolean {
  if (context.layer.isKnownResponse(response)) return true;
  return context.tables.dialogOf(response.callId, response.fromTag) !== undefined;
}

/** Whether a request is valid only inside an existing dialog or transaction. */
export function needsContext({ method, toTag }: SipMessage): boolean {
  return toTag !== '' || method === 'CANCEL' || method === 'ACK';
}

/**
 * Responds with 481 statelessly (RFC 3261 §8.2.7): nothing is stored or retransmitted. No response to an ACK, or if it
 * would be longer than the request.
 */
export function rejectStray(context: Context, request: SipMessage, peer: Peer): void {
  if (request.method === 'ACK') return;
  const via = stampVia(request.viaText, request.via, peer.address, peer.port);
  const rejection = buildResponse(request, via, 481, reasonPhrase(481), stableTag(request));
  if (rejection.length <= request.raw.length) context.send(rejection, peer);
}

/** A repeated request must get the same tag (RFC 3261 §8.2.7), so it is derived from the request. */
function stableTag({ callId, fromTag, via }: SipMessage): string {
  return createHash('sha256').update(`${callId}|${fromTag}|${via.branch}`).digest('hex').slice(0, TAG_LENGTH);
}

const TAG_LENGTH = 16;
