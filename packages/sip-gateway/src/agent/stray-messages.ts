/**
 * Messages that match no dialog or transaction. All are counted per source. Requests that only make sense inside a dialog or transaction
 * get at most one stateless answer, and none where it would be longer than the request (with compact header names, say): a forged source
 * address gains nothing.
 */
import { createHash } from 'node:crypto';
import { buildResponse, reasonPhrase } from '../message/build.ts';
import type { SipMessage } from '../message/message.ts';
import { stampVia } from '../message/via.ts';
import type { Peer } from '../transport/transport.ts';
import type { Context } from './context.ts';
import { dialogFor } from './network-requests.ts';

/** True when a request is part of a transaction or dialog that exists. */
export function isKnownRequest(context: Context, request: SipMessage): boolean {
  if (context.layer.knows(request)) return true;
  if (request.method === 'CANCEL') return context.layer.inviteOf(request) !== undefined;
  return request.toTag !== '' && dialogFor(context, request) !== undefined;
}

/** True when a response answers a request of ours, or repeats a 2xx of our call. */
export function knowsResponse(context: Context, response: SipMessage): boolean {
  if (context.layer.knowsResponse(response)) return true;
  return context.tables.dialogOf(response.callId, response.fromTag) !== undefined;
}

/** True for a request that only makes sense inside an existing dialog or transaction. */
export function needsContext({ method, toTag }: SipMessage): boolean {
  return toTag !== '' || method === 'CANCEL' || method === 'ACK';
}

/** Answers 481 statelessly (RFC 3261 §8.2.7): nothing is stored or retransmitted. An ACK gets no answer, nor does what is shorter than it. */
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
