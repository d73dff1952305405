/**
 * Handles an INVITE outside any dialog: validates it, requests a decision from realtime, then lets it ring or rejects
 * it.
 */
import { randomUUID } from 'node:crypto';
import type { FailureCode } from '@clarion/protocol';
import { carrierCodecs } from '@clarion/protocol/media';
import type { InviteDecision, InviteRequest, LegEnd } from '@clarion/protocol/media';
import { RETRY_AFTER_SECONDS, type Rejection } from '../realtime/client.ts';
import { CommandError, reportConnected, localMedia, openCarrierLeg, type NodeContext } from '../context.ts';
import { monotonicTime } from '../monotonic-time.ts';
import type { CallMedia } from '../route/call-media.ts';
import { SdpError, type CarrierSdp } from '../sdp/carrier.ts';
import { UnresolvedHost, resolveHostName } from '../sdp/resolve.ts';
import { agreeOnOffer, readOffer, type MediaTerms } from './agreement.ts';
import { callerOf } from './caller.ts';
import { parseNameAddr, parseUri } from './headers.ts';
import { InboundCall } from './inbound.ts';
import { localEnd, remoteEnd } from './leg-end.ts';
import { knownStatus, type SipMessage, type SipRequest, type SipResponse } from './srf.ts';
import type { RefusalReports } from './refusal-reports.ts';
import type { UndecidedInvites } from './undecided-invites.ts';

/** @param withdrawn aborted when the decision is no longer needed; it then has no effect */
export type RequestDecision = (
  request: InviteRequest,
  withdrawn: AbortSignal,
) => Promise<InviteDecision | null>;

export interface InviteHandler {
  node: NodeContext;
  nodeId: string;
  requestDecision: RequestDecision;
  /** How INVITEs from an address are rejected while no realtime node has time to decide; null: they are decided. */
  rejectionOf: (sourceAddress: string) => Rejection | null;
  /** Takes note of such a rejection; its request is created only if it is stored. */
  onRejected: (request: () => InviteRequest) => void;
  undecided: UndecidedInvites;
  /** Which INVITEs that are rejected without a decision are reported. */
  refusalReports: RefusalReports;
  /** False while the node is shutting down. */
  accepting: () => boolean;
}

export async function receiveInvite(
  handler: InviteHandler,
  req: SipRequest,
  res: SipResponse,
): Promise<void> {
  const { node } = handler;
  if (!req.isNewInvite) {
    // A re-INVITE of a dialog that this process does not have: the remote party ends it on 481 (RFC 5057 §5.1).
    res.send(481);
    return;
  }
  if (!handler.accepting()) {
    res.send(503);
    return;
  }
  // Before anything that takes time: while the service is overloaded, most INVITEs end here.
  const rejection = handler.rejectionOf(req.source_address);
  if (rejection) {
    node.ladders.refused(req.get('Call-ID'), null);
    reject(res, rejection);
    handler.onRejected(() => inviteRequest(handler.nodeId, randomUUID(), req));
    return;
  }
  let cancelled: SipMessage | null = null;
  const { promise: withdrawn, resolve: withdraw } = Promise.withResolvers<LegEnd>();
  req.on('cancel', (cancel) => {
    cancelled = cancel;
    withdraw(remoteEnd('remote-cancel', cancel, 'the caller hung up'));
  });
  if (req.body && !isSdp(req.get('Content-Type'))) {
    refuse(handler, req, res, UNSUPPORTED_BODY);
    return;
  }
  let offer: CarrierSdp | null = null;
  try {
    if (!req.has('Contact')) throw new SdpError('an INVITE must have a Contact header', 400);
    if (req.body) offer = readOffer(req.body, anyTerms(req), node.bindAddress);
  } catch (error) {
    if (!(error instanceof SdpError)) throw error;
    refuse(handler, req, res, error);
    return;
  }
  const legId = randomUUID();
  const sipCallId = req.get('Call-ID');
  const request = inviteRequest(handler.nodeId, legId, req);
  if (request.withheld) node.ladders.withhold(sipCallId);
  const decision = await handler.undecided.decide(request, handler.requestDecision, {
    withdrawn,
    noDecision: NO_DECISION,
  });
  if (!decision) {
    node.ladders.refused(sipCallId, request.inviteId);
    // Without a connection to the SIP server there is nothing to send it on.
    if (!cancelled && node.sipUp())
      res.send(503, { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
    return;
  }
  if (decision.action === 'reject') {
    node.ladders.refused(sipCallId, decision.stored === true ? request.inviteId : null);
    if (!cancelled) reject(res, decision);
    return;
  }
  const { callId } = decision;
  await node.calls.withCall(callId, (call) =>
    acceptInvite(node, call, { callId, legId, decision, req, res, offer, cancelled: () => cancelled }),
  );
}

/** A body without a type is read as SDP: the parser decides. */
const isSdp = (contentType: string | undefined): boolean =>
  (contentType?.split(';')[0]?.trim().toLowerCase() ?? SDP_TYPE) === SDP_TYPE;

const SDP_TYPE = 'application/sdp';
/** RFC 3261 §21.4.13. */
const UNSUPPORTED_BODY: Refusal = {
  status: 415,
  reason: 'invite_malformed',
  message: 'the body is not SDP',
  headers: { Accept: SDP_TYPE },
};

interface Refusal {
  status: number;
  reason: FailureCode;
  message: string;
  headers?: Record<string, string>;
}

/** Rejects an INVITE because of what it contains. */
function refuse(
  { node, nodeId, refusalReports }: InviteHandler,
  req: SipRequest,
  res: SipResponse,
  refusal: Refusal,
): void {
  const { status, reason: code, message, headers } = refusal;
  node.log.info({ sipCallId: req.get('Call-ID'), code, message }, 'INVITE rejected');
  if (headers) res.send(status, message, { headers });
  else res.send(status, message);
  if (!refusalReports.take(req.source_address, Date.now())) return;
  const request = inviteRequest(nodeId, randomUUID(), req);
  const { legId } = request;
  node.report('invite:refused', { callId: null, legId, at: monotonicTime(), request, status, code, message });
}

const NO_DECISION = localEnd('media-error', 'no realtime node decided on the INVITE in time', {
  sipStatus: 503,
});

function reject(res: SipResponse, decision: Rejection): void {
  const { status, reason, retryAfterSeconds, contact } = decision;
  const headers = {
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...(contact !== undefined && { Contact: `<${contact}>` }),
  };
  res.send(knownStatus(status), reason, { headers });
}

/** What an INVITE may offer before its trunk is known. SDP with keys may be sent only over TLS (RFC 4568 §8.3). */
const anyTerms = (req: SipRequest): MediaTerms => ({
  codecs: carrierCodecs,
  srtp: transportOf(req) === 'TLS' ? 'allowed' : 'never',
});

interface AcceptedInvite {
  callId: number;
  legId: string;
  decision: Extract<InviteDecision, { action: 'accept' }>;
  req: SipRequest;
  res: SipResponse;
  offer: CarrierSdp | null;
  cancelled: () => SipMessage | null;
}

async function acceptInvite(node: NodeContext, call: CallMedia, accepted: AcceptedInvite): Promise<void> {
  const { callId, legId, decision, req, res } = accepted;
  const terms = { codecs: decision.codecs, srtp: decision.srtp ? 'required' : anyTerms(req).srtp } as const;
  const fact = () => ({ callId, legId, at: monotonicTime() });
  let inbound: InboundCall | null = null;
  let answeredAt: string | undefined;
  try {
    // The terms of the trunk, which were unknown before.
    const offer = accepted.offer && readOffer(req.body ?? '', terms, node.bindAddress);
    // Only once the trunk is known: a lookup occupies a thread that also serves file I/O, and unauthenticated callers
    // could cause any number of them.
    const remote = offer && (await resolveHostName(offer, node.bindAddress));
    const leg = await openCarrierLeg(node, call, {
      kind: 'carrier-in',
      legId,
      sourceCidrs: decision.sourceCidrs,
      localEndpointOnly: decision.localEndpointOnly,
    });
    node.ladders.bindLeg(req.get('Call-ID'), leg);
    const local = localMedia(node, leg);
    const agreed = remote && agreeOnOffer(remote, terms, local);
    if (agreed) leg.applyDescription(agreed);
    leg.state = 'RINGING';
    inbound = new InboundCall({
      srf: node.srf,
      req,
      res,
      agreed,
      terms,
      local,
      probeIntervalMs: node.probeIntervalMs,
      log: node.log,
      onAnswered: () => {
        answeredAt = monotonicTime();
        leg.state = 'CONNECTED';
        call.changed();
      },
      // The caller hears the agent from our 200 on. Its ACK may be lost, and then follows a repeated 200 (RFC 3261 §13.3.1.4).
      onConfirmed: () => reportConnected(node, leg, { at: answeredAt }),
      onDigit: (digit) => leg.receiveInfoDigit(digit),
      onDescription: (described) => leg.applyDescription(described),
      onEnd: (end) => node.calls.end(leg, end),
    });
    node.calls.add(call, leg, inbound);
    node.log.info({ callId, legId, sipCallId: inbound.sipCallId }, 'inbound call');
    const cancel = accepted.cancelled();
    if (cancel) inbound.cancelled(cancel);
    else inbound.ring();
  } catch (error) {
    node.log.warn({ err: error, callId }, 'failed to handle an accepted INVITE');
    if (inbound) return;
    const cancel = accepted.cancelled();
    const status = error instanceof SdpError || error instanceof UnresolvedHost ? error.status : 503;
    if (!cancel) res.send(status, messageFor(error));
    // Realtime has already created the call and must learn that its leg has ended.
    node.report('leg:ended', {
      ...fact(),
      kind: 'carrier-in',
      stats: null,
      end: cancel
        ? remoteEnd('remote-cancel', cancel, 'the caller hung up')
        : localEnd('media-error', messageFor(error), {
            sipStatus: status,
            ...(error instanceof SdpError && { reason: error.reason }),
            ...(error instanceof UnresolvedHost && { reason: 'invite_malformed' }),
          }),
    });
  }
}

function messageFor(error: unknown): string {
  const known = error instanceof SdpError || error instanceof UnresolvedHost || error instanceof CommandError;
  return known ? error.message : 'failed to open the leg';
}

function transportOf(req: SipRequest): 'UDP' | 'TCP' | 'TLS' {
  const transport = req.protocol.toUpperCase();
  return transport === 'TCP' || transport === 'TLS' ? transport : 'UDP';
}

function inviteRequest(mediaNodeId: string, legId: string, req: SipRequest): InviteRequest {
  const requestUri = parseUri(req.uri);
  const diverted = parseNameAddr(req.get('Diversion')) ?? parseNameAddr(req.get('P-Called-Party-ID'));
  return {
    inviteId: randomUUID(),
    mediaNodeId,
    legId,
    source: {
      address: req.source_address,
      port: req.source_port,
      transport: transportOf(req),
    },
    requestHost: requestUri?.host ?? '',
    requestUser: requestUri?.user ?? '',
    toUser: parseNameAddr(req.get('To'))?.user ?? '',
    ...callerOf((name) => req.get(name)),
    divertedUser: diverted?.user ?? null,
    contactHost: parseNameAddr(req.get('Contact'))?.hostPort ?? '',
    maxForwards: maxForwardsOf(req),
    sipCallId: req.get('Call-ID') ?? '',
  };
}

/** RFC 3261 §8.1.1.6: 70 if there is none. */
const DEFAULT_MAX_FORWARDS = 70;

function maxForwardsOf(req: SipRequest): number {
  const given = Number.parseInt(req.get('Max-Forwards') ?? '', 10);
  return given >= 0 ? given : DEFAULT_MAX_FORWARDS;
}
