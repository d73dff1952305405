/**
 * The media protocol between realtime and media nodes: socket.io namespace `/media` on realtime's
 * port; each media node is the client and connects to every realtime node.
 *
 * Realtime specifies what each leg hears (`call:route`, which is idempotent), and media decides how: a leg that hears exactly one other leg
 * and is heard only by it is handed over to a mediasoup endpoint; every other leg uses a local RTP endpoint. Media reports facts. A fact is
 * stored and sent again, to any connected realtime node, until one acknowledges it; the engine ignores facts that it has already processed.
 * The clocks of hosts differ, so a fact is sent with its age, and realtime derives from it when the fact happened.
 */
import { z } from 'zod';
import {
  CARRIER_REQUEST_TIMEOUT_MS,
  registration,
  type CheckupFacts,
  type OptionsReply,
  type RegisterReply,
} from './carrier-requests.ts';
import { failureCodes } from './failures.ts';
import { trunkDestination } from './json.ts';
import type { LadderMessage } from './ladder.ts';
import type { Sent } from './media-clock.ts';

export const mediaNamespace = '/media';
/** The path at which media nodes connect to realtime; the web process does not forward it. */
export const mediaSocketPath = '/media/socket.io';
/** The `Authorization` header of that connection. Encoded, because a secret may contain characters that a header cannot. */
export const mediaAuthorization = (secret: string): string => `Bearer ${encodeURIComponent(secret)}`;

/** How long realtime waits for an ack to a command. */
export const MEDIA_COMMAND_TIMEOUT_MS = 5_000;
/** How long it waits for an ack to a command whose ack contains the response of a carrier. */
export const TRUNK_COMMAND_TIMEOUT_MS = CARRIER_REQUEST_TIMEOUT_MS + 1_000;
/** The calls of a media node that is disconnected for longer than this end with FAILED, SYSTEM_ERROR. */
export const MEDIA_LOST_GRACE_MS = 5_000;
/** No RTP from a leg that is not on hold for this long: FAILED, NETWORK_ERROR (docs/requirements.md#calls). */
export const RTP_TIMEOUT_MS = 30_000;
/** Media ends a carrier leg that no realtime node has claimed for this long. */
export const ORPHAN_LEG_MS = 10_000;

const legId = z.string().min(1).max(64);
const callId = z.number().int().positive();
/**
 * The media node's wall-clock time (ISO, ms), which never runs backwards and stays the same when the fact is sent again. It identifies a
 * DTMF digit. The time of a fact follows from it only if the message has no `sent`.
 */
const at = z.string();

/** 8 kHz mono PCM: a stored file by its key, or one of the spoken words for announcements that media contains. */
export const clip = z.union([
  z.strictObject({ file: z.string().min(1).max(500) }),
  z.strictObject({ word: z.string().min(1).max(64) }),
]);
export type Clip = z.infer<typeof clip>;

/** What a leg hears: the mix of its sources. An empty list is silence. */
export const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('leg'), legId }),
  /**
   * ringback: the regional ringback tone for an agent, replaced by audio from a carrier leg that has not answered while there is
   * any. hold: a soft repeated tone.
   */
  z.object({ kind: z.literal('tone'), tone: z.enum(['ringback', 'hold']) }),
  /**
   * Clips in sequence. A new `playId` starts from the beginning; with the same `playId` playback continues. `loop` repeats the
   * sequence; otherwise the fact `leg:played` reports its end, and silence follows. If a clip is unavailable, a loop is replaced
   * by the hold tone; otherwise `leg:played` reports it immediately.
   */
  z.object({
    kind: z.literal('audio'),
    clips: z.array(clip).min(1).max(64),
    loop: z.boolean(),
    playId: z.string().min(1).max(64),
  }),
]);
export type Source = z.infer<typeof source>;

/** legId → what it hears. A leg that is not listed hears nothing. */
export const route = z.record(legId, z.array(source));
export type Route = z.infer<typeof route>;

/**
 * What is recorded from now on: the voices of the left channel (the customer) and of the right one (the agent, and a supervisor whom
 * the customer hears). A paused recording continues with silence, so that it stays as long as the call. Media starts the recording
 * at the first route that contains one, and finishes it at a route without one or when the call is released.
 */
export const recordPlan = z.object({
  left: z.array(legId),
  right: z.array(legId),
  paused: z.boolean(),
});
export type RecordPlan = z.infer<typeof recordPlan>;

/** What a provider's final response to our call means. */
export const responseClasses = [
  'busy',
  'refused',
  'no-answer',
  'no-such-number',
  'not-allowed',
  'codecs',
  'carrier-error',
] as const;
export type ResponseClass = (typeof responseClasses)[number];

/** How a leg ended, as SIP or network data; only core/call-machine/outcome.ts derives the reason from it. */
export const legEnd = z.object({
  /**
   * remote-bye: the remote party hung up. remote-cancel: the caller cancelled before an answer. rejected: a final response of 300
   * or more to our INVITE. no-answer-local: our own ring timeout. unreachable: no response, DNS or connection failure, or the remote
   * party of an answered call is gone. local: realtime ended the leg. rtp-timeout: no audio for RTP_TIMEOUT_MS. media-error: the leg
   * cannot continue (bad SDP, worker died). provider-error: a provider that does not use SIP reported that the call failed.
   */
  cause: z.enum([
    'remote-bye',
    'remote-cancel',
    'rejected',
    'no-answer-local',
    'unreachable',
    'local',
    'rtp-timeout',
    'media-error',
    'provider-error',
  ]),
  sipStatus: z.number().int().nullable(),
  sipReason: z.string().nullable(),
  q850: z.number().int().nullable(),
  /** Whether a 1xx other than 100 was received before the end (it decides what a 408 means). */
  provisional: z.boolean(),
  message: z.string(),
  /** Of a provider that does not use SIP: the meaning of its response to our call, and its error code. `message` is then for humans. */
  provider: z.object({ response: z.enum(responseClasses), code: z.number().int().nullable() }).optional(),
  /**
   * What media knows better than the cause and the status say, such as a certificate or a redirection; absent: they decide. A code of a
   * later version is ignored, so that the end itself is not lost.
   */
  reason: z.enum(failureCodes).optional().catch(undefined),
});
export type LegEnd = z.infer<typeof legEnd>;

/** How a carrier wants to see the caller: `TrunkQuirks`. */
export const callerIdentity = z.object({
  fromDomain: z.string().nullable(),
  fromUser: z.string().nullable(),
  userPhone: z.boolean(),
  assertedIdentity: z.boolean(),
  hideCallerId: z.boolean(),
});
export type CallerIdentity = z.infer<typeof callerIdentity>;

/** Codecs towards a carrier. G722 is transcoded at the leg; everything behind the leg is G.711. */
export const carrierCodecs = ['PCMA', 'PCMU', 'G722'] as const;
export type CarrierCodec = (typeof carrierCodecs)[number];
/** The codecs of a trunk's row in their order; an empty list means G.711. */
export function codecsOfTrunk(stored: readonly string[]): CarrierCodec[] {
  const known = stored.flatMap((name) => carrierCodecs.filter((codec) => codec === name));
  return known.length > 0 ? known : ['PCMA', 'PCMU'];
}

export const trunkTarget = z.object({
  trunkId: z.number().int(),
  /** The operator's own trunk, whose host may be private, such as a session border controller in its network. Absent: it may not. */
  platform: z.boolean().optional(),
  host: z.string(),
  port: z.number().int(),
  transport: z.enum(['UDP', 'TCP', 'TLS']),
  /** Further addresses, by priority and weight. */
  destinations: z.array(trunkDestination),
  useSrv: z.boolean(),
  username: z.string().nullable(),
  password: z.string().nullable(),
  /** CIDRs of allowed RTP and signalling sources, in addition to the address in the SDP. */
  sourceCidrs: z.array(z.string()),
  codecs: z.array(z.enum(carrierCodecs)),
  srtp: z.boolean(),
  identity: callerIdentity,
  noEarlyMedia: z.boolean(),
  callsPerSecond: z.number().int().nullable(),
  /** Keeps the leg on the local RTP endpoint: the carrier does not accept SSRC changes or header extensions. */
  localEndpointOnly: z.boolean(),
});
export type TrunkTarget = z.infer<typeof trunkTarget>;

/** A trunk on which to try the call, with the numbers in the form that it requires. */
export const dialAttempt = z.object({
  trunk: trunkTarget,
  /** User part of the Request-URI, or a complete `sip:` URI. */
  called: z.string(),
  /** User part of From and P-Asserted-Identity. */
  caller: z.string(),
  callerName: z.string().nullable(),
});
export type DialAttempt = z.infer<typeof dialAttempt>;

/** Realtime → media. Each is acked with a `MediaAck`, and each is idempotent. Those of a trunk have no `callId`. */
export const mediaCommands = {
  /** Answers the pending INVITE of an inbound carrier leg with 200. Fact `leg:connected` follows its ACK. */
  'carrier:answer': z.object({ callId, legId }),
  /** Rejects the pending INVITE. */
  'carrier:reject': z.object({ callId, legId, status: z.number().int(), reason: z.string().optional() }),
  /**
   * Sends an INVITE. Facts `leg:ringing`, `leg:connected` or `leg:ended` follow. Acked once the leg exists. If a destination cannot take
   * the call, the next one is tried, then those of the next trunk; a person who has refused the call is never called again.
   */
  'carrier:dial': z.object({
    callId,
    legId,
    /** In order: the line's trunk, then its backup trunk. */
    attempts: z.array(dialAttempt).min(1).max(4),
    ringTimeoutMs: z.number().int(),
  }),
  /** Creates an agent leg from a browser's offer. The ack contains `sdpAnswer`. Fact `leg:connected` follows after ICE and DTLS. */
  'agent:connect': z.object({
    callId,
    legId,
    sdpOffer: z.string(),
    /** The leg that this one replaces (reload, new network, other device); closed once this one connects. */
    replaces: legId.optional(),
    /** agent (the default): has the call or will get it. monitor: a supervisor who listens, whispers or barges. */
    as: z.enum(['agent', 'monitor']).optional(),
    /** For the SIP ladder. Absent: a supervisor at the dashboard, or a realtime node of an earlier version. */
    agentId: z.number().int().positive().optional(),
  }),
  /**
   * Creates the leg of a customer whom WhatsApp is about to call. The ack contains the SDP offer for Meta; repeated for the same leg, the
   * same one. No audio passes before `whatsapp:open`.
   */
  'whatsapp:offer': z.object({ callId, legId }),
  /** Meta's answer to that offer: the media path is set up. The first audio from the customer opens the leg as `whatsapp:open` does. */
  'whatsapp:remote': z.object({ callId, legId, sdpAnswer: z.string() }),
  /** Creates the leg of a customer who calls, from Meta's offer. The ack contains the SDP answer; repeated, the same one. */
  'whatsapp:answer': z.object({ callId, legId, sdpOffer: z.string() }),
  /**
   * The call was accepted: audio may pass. Fact `leg:connected` follows once the media path is connected too, without waiting for audio
   * of the customer.
   */
  'whatsapp:open': z.object({ callId, legId }),
  /** Ends a leg in any state: with CANCEL, BYE or a final response (480 unless `status` is given), or by closing the transport. */
  'leg:hangup': z.object({ callId, legId, status: z.number().int().optional() }),
  /** Sends DTMF digits to a carrier, once it can receive them (after the answer, or into early media). */
  'leg:dtmf': z.object({ callId, legId, digits: z.string() }),
  /**
   * Sets what every leg of the call hears, and what is recorded. A revision that is not newer than the last one is ignored.
   * `storageKey`: where the encoded recording is stored.
   */
  'call:route': z.object({
    callId,
    revision: z.number().int(),
    route,
    record: recordPlan.extend({ storageKey: z.string() }).nullable().optional(),
  }),
  /** Ends every leg of the call and removes its state. */
  'call:release': z.object({ callId, status: z.number().int().optional() }),
  /**
   * Sends OPTIONS to the trunk's host; its other destinations are not tried. The ack contains the response, or why there is none. These
   * commands concern no call; they fail with `capacity` while the SIP server is not connected.
   */
  'trunk:ping': z.object({ target: trunkTarget }),
  /** Sends REGISTER, and once more with credentials if it is challenged. The caller keeps the schedule. */
  'trunk:register': z.object({
    target: trunkTarget,
    registration,
    expiresSeconds: z.number().int().positive(),
  }),
  /** Removes the binding of our contact. */
  'trunk:unregister': z.object({ target: trunkTarget, registration }),
  /** Looks at DNS, connection, certificate and responses of the carrier. Nothing at the carrier changes. */
  'trunk:checkup': z.object({ target: trunkTarget, registers: z.boolean() }),
} as const;
export type MediaCommand = keyof typeof mediaCommands;
export type MediaCommandPayload<C extends MediaCommand> = z.infer<(typeof mediaCommands)[C]>;
export interface MediaReplies {
  'carrier:answer': object;
  'carrier:reject': object;
  'carrier:dial': object;
  'agent:connect': { sdpAnswer: string };
  'whatsapp:offer': { sdpOffer: string };
  'whatsapp:remote': object;
  'whatsapp:answer': { sdpAnswer: string };
  'whatsapp:open': object;
  'leg:hangup': object;
  'leg:dtmf': object;
  'call:route': object;
  'call:release': object;
  'trunk:ping': OptionsReply;
  'trunk:register': RegisterReply;
  'trunk:unregister': RegisterReply;
  'trunk:checkup': CheckupFacts;
}
/** Commands that concern a trunk and no call. */
export type TrunkCommand = Extract<MediaCommand, `trunk:${string}`>;
/**
 * unknown_leg: no such leg on this node. bad_sdp: the offer cannot be answered. invalid_state: not possible in the state of the leg.
 * capacity: no free port, or the SIP server is not connected.
 */
export const mediaErrorCodes = [
  'unknown_leg',
  'bad_sdp',
  'invalid_state',
  'capacity',
  'invalid_command',
  'internal',
] as const;
export type MediaErrorCode = (typeof mediaErrorCodes)[number];
export type MediaAck<T> =
  ({ ok: true } & T) | { ok: false; error: { code: MediaErrorCode; message: string } };

/**
 * The audio of a leg over its whole life, on local and mediasoup endpoints. Received: from the remote party; sent: to the remote party.
 * Additional figures may be present for the log.
 */
export const legStats = z.looseObject({
  codec: z.string().nullable(),
  durationMs: z.number().int(),
  receivedPackets: z.number().int(),
  lostPackets: z.number().int(),
  /** Interarrival jitter of RFC 3550; the worse of the local and mediasoup parts. */
  jitterMs: z.number(),
  /** As last reported by RTCP; null if the remote party sends none. */
  roundTripMs: z.number().nullable(),
  /** Null: not counted. */
  sentPackets: z.number().int().nullable(),
  /** The packet loss last reported by the remote party, 0 to 100. */
  remoteLossPercent: z.number().nullable(),
});
export type LegStats = z.infer<typeof legStats>;

/** carrier-in, carrier-out: the customer's leg. */
export const legKinds = ['carrier-in', 'carrier-out', 'agent', 'monitor'] as const;
export type LegKind = (typeof legKinds)[number];

/** Media → realtime: an INVITE outside any dialog. If a node does not respond, another one gets it with the same inviteId. */
export const inviteRequest = z.object({
  inviteId: z.uuid(),
  mediaNodeId: z.string(),
  /** The ID of the carrier leg if the call is accepted. */
  legId,
  source: z.object({ address: z.string(), port: z.number().int(), transport: z.enum(['UDP', 'TCP', 'TLS']) }),
  /** Host of the Request-URI: `{ingress_host}` identifies the trunk. */
  requestHost: z.string(),
  requestUser: z.string(),
  toUser: z.string(),
  /** The caller withheld their number: `fromUser` is `anonymous`, and no other field identifies them. */
  withheld: z.boolean().default(false),
  fromUser: z.string(),
  fromName: z.string().nullable(),
  /** User part of P-Asserted-Identity, if present. */
  assertedUser: z.string().nullable(),
  /** User part of Diversion or P-Called-Party-ID, if present. */
  divertedUser: z.string().nullable(),
  sipCallId: z.string(),
  /**
   * How long this node has for its decision, from the arrival of the request. Later the INVITE belongs to another node or has been
   * withdrawn. Relative, because the clocks of hosts differ; absent: sent by a media node of an earlier version.
   */
  decideWithinMs: z.number().int().positive().optional(),
});
export type InviteRequest = z.infer<typeof inviteRequest>;

/** Media → realtime: what happened. Acked with `{ ok: true }` when the engine has processed the fact, or will never be able to. */
export const mediaFacts = {
  /** The first 180 or 183 from the carrier. `trunkId`: of the dial attempt that reached it. */
  'leg:ringing': z.object({ callId, legId, at, trunkId: z.number().int().optional() }),
  /** ACK of our 200, 200 to our INVITE, or ICE and DTLS done. `trunkId`: of the dial attempt that was answered. */
  'leg:connected': z.object({ callId, legId, at, codec: z.string(), trunkId: z.number().int().optional() }),
  /** An agent's transport lost its network; the leg is kept until it is restored or replaced. */
  'leg:interrupted': z.object({ callId, legId, at }),
  'leg:restored': z.object({ callId, legId, at }),
  /** Exactly one per leg, which no longer exists. */
  'leg:ended': z.object({
    callId,
    legId,
    kind: z.enum(legKinds),
    at,
    end: legEnd,
    /** Of the leg's whole life. Invalid statistics become null, so that the end itself is not lost. */
    stats: legStats.nullable().catch(null),
  }),
  /** A digit from the remote party; reported once, even if it arrives by both RFC 4733 and SIP INFO. */
  'leg:dtmf': z.object({ callId, legId, at, digit: z.string() }),
  /** A source that does not loop has been played to its end, or (`played` false) could not be played. */
  'leg:played': z.object({ callId, legId, at, playId: z.string(), played: z.boolean() }),
  /** One of these two per recording, even after a crash, and usually after the call has ended. `legId`: the customer's. */
  'recording:finished': z.object({
    callId,
    legId,
    at,
    storageProvider: z.enum(['local', 's3']),
    storageKey: z.string(),
    sizeBytes: z.number().int(),
    durationMs: z.number().int(),
  }),
  'recording:failed': z.object({ callId, legId, at, reason: z.string() }),
  /**
   * The INVITE got its final response before media knew a decision: the caller cancelled, no node decided in time, or the connection to
   * the SIP server was lost. It must not become a call, and a call that it has become ends. Media does not know that call.
   * With the reason `overloaded` media asked no node, because all of them had too many INVITEs to decide; not each of these is reported.
   */
  'invite:withdrawn': z.object({ callId: z.null(), legId, at, request: inviteRequest, end: legEnd }),
  /**
   * Media rejected the INVITE without asking for a decision, because of what it contains; `message` says what. Not every such INVITE is
   * reported.
   */
  'invite:refused': z.object({
    callId: z.null(),
    legId,
    at,
    request: inviteRequest,
    status: z.number().int(),
    code: z.enum(failureCodes).catch('invite_malformed'),
    message: z.string(),
  }),
} as const;
export type MediaFact = keyof typeof mediaFacts;
export type MediaFactPayload<F extends MediaFact> = z.infer<(typeof mediaFacts)[F]>;
/** A fact as sent. `factId` is unique per fact and stays the same when it is sent again. */
export interface MediaFactMessage<F extends MediaFact = MediaFact> {
  factId: string;
  fact: F;
  payload: MediaFactPayload<F>;
  /** New at each repetition. Absent: a media node of an earlier version, whose `at` is the only time. */
  sent?: Sent;
}

/**
 * accept: media responds with 180 and keeps the INVITE for `carrier:answer`. `sourceCidrs` are those of the trunk: RTP is accepted only from
 * them or from the address in the SDP. reject: media responds with `status`, and with Retry-After if `retryAfterSeconds` is present.
 * `overloadedMs`: this node is overloaded; for that long media asks other nodes, or gives the same response without asking.
 */
export type InviteDecision =
  | {
      action: 'accept';
      callId: number;
      sourceCidrs: string[];
      localEndpointOnly: boolean;
      /** Of the trunk, in its order of preference; empty: G.711 in the order of the offer. */
      codecs: CarrierCodec[];
      /** The trunk requires encrypted audio. */
      srtp: boolean;
    }
  | {
      action: 'reject';
      status: number;
      reason: string;
      retryAfterSeconds?: number;
      overloadedMs?: number;
      /** The refusal is stored for a trunk: media sends its SIP ladder. */
      stored?: boolean;
    };
/** Realtime must decide within this time; otherwise media asks another node, and responds with 503 after it has asked all of them. */
export const INVITE_DECISION_TIMEOUT_MS = 4_000;

/** One leg in the list that media sends after connecting. */
export interface LegSummary {
  callId: number;
  legId: string;
  kind: LegKind;
  state: 'NEW' | 'CONNECTING' | 'RINGING' | 'CONNECTED' | 'DISCONNECTED';
}
/** `auth` of the socket. The list of legs is sent right after connecting, as the first message `legs`. */
export interface MediaHandshake {
  nodeId: string;
  startedAt: string;
  /** The number of carrier legs that this node has ports for. */
  capacity: number;
}
export interface MediaToRealtime {
  legs: (legs: LegSummary[], ack: (reply: { ok: true }) => void) => void;
  invite: (request: InviteRequest, ack: (decision: InviteDecision) => void) => void;
  /** `ok` false: the fact could not be processed and must be sent again. */
  fact: (message: MediaFactMessage, ack: (reply: { ok: boolean }) => void) => void;
  /** SIP ladders of calls that have ended. `ok` false: they could not be stored and must be sent again. */
  ladders: (ladders: LadderMessage[], ack: (reply: { ok: boolean }) => void) => void;
  /** `clockMs`: as in `sent`. */
  load: (load: { legs: number; cpu: number; clockMs?: number }) => void;
}
export type RealtimeToMedia = {
  [C in MediaCommand]: (
    payload: MediaCommandPayload<C>,
    ack: (reply: MediaAck<MediaReplies[C]>) => void,
  ) => void;
};
