/**
 * Messages that belong to nothing we know. They are counted per source, whatever they look like, and those that can only belong to
 * something are answered at most once and without any state: whoever makes them up, with somebody else's address, gets no more out of us
 * than was sent.
 */
import { createHash } from 'node:crypto';
import { buildResponse, reasonPhrase } from '../message/build.ts';
import type { SipMessage } from '../message/message.ts';
import { stampVia } from '../message/via.ts';
import type { Peer } from '../transport/transport.ts';
import type { Context } from './context.ts';
import { dialogFor } from './network-requests.ts';

/** True when a request is part of a transaction or dialog that exists. */
export function knowsRequest(context: Context, request: SipMessage): boolean {
  if (context.layer.knows(request)) return true;
  if (request.method === 'CANCEL') return context.layer.inviteOf(request) !== undefined;
  return request.toTag !== '' && dialogFor(context, request) !== undefined;
}

/** True when a response answers a request of ours, or repeats a 2xx of a call of ours. */
export function knowsResponse(context: Context, response: SipMessage): boolean {
  if (context.layer.knowsResponse(response)) return true;
  return context.tables.dialogOf(response.callId, response.fromTag) !== undefined;
}

/** True for a request that makes sense only inside something, so that nobody but a sender who knows it may start it. */
export function claimsToBelong({ method, toTag }: SipMessage): boolean {
  return toTag !== '' || method === 'CANCEL' || method === 'ACK';
}

/** Says 481, as a stateless server does (RFC 3261 §8.2.7): nothing is kept, nothing repeated. An ACK gets no answer at all. */
export function refuseStranger(context: Context, request: SipMessage, peer: Peer): void {
  if (request.method === 'ACK') return;
  const via = stampVia(request.viaText, request.via, peer.address, peer.port);
  context.send(buildResponse(request, via, 481, reasonPhrase(481), stableTag(request)), peer);
}

/** A repeated request must get the same tag (RFC 3261 §8.2.7), so it is made of the request. */
function stableTag({ callId, fromTag, via }: SipMessage): string {
  return createHash('sha256').update(`${callId}|${fromTag}|${via.branch}`).digest('hex').slice(0, TAG_LENGTH);
}

const TAG_LENGTH = 16;
