/**
 * The media protocol between realtime and media nodes: socket.io namespace `/media` on realtime's
 * port; each media node is the client and connects to every realtime node.
 *
 * Realtime specifies what each leg hears (`call:route`, which is idempotent), and media decides how: a leg that hears exactly one other leg
 * and is heard only by it is handed over to a mediasoup endpoint; every other leg uses a local RTP endpoint. Media reports facts. A fact is
 * stored and sent again, to any connected realtime node, until one acknowledges it; the engine ignores facts that it has already processed.
 * The clocks of hosts differ, so a fact is sent with its age, and realtime derives from it when the fact happened.
 *
 * Importers take everything from here; the parts are in media/.
 */
import type { LadderMessage } from './ladder.ts';
import type { MediaAck, MediaCommand, MediaCommandPayload, MediaReplies } from './media/commands.ts';
import type { MediaFactMessage } from './media/facts.ts';
import type { InviteDecision, InviteRequest } from './media/invite.ts';
import type { LegKind } from './media/leg.ts';

export * from './media/commands.ts';
export * from './media/facts.ts';
export * from './media/forwarded-call-id.ts';
export * from './media/invite.ts';
export * from './media/leg.ts';
export * from './media/route.ts';
export * from './media/trunk-target.ts';

export const mediaNamespace = '/media';
/** The path at which media nodes connect to realtime; the web process does not forward it. */
export const mediaSocketPath = '/media/socket.io';
/** The `Authorization` header of that connection. Encoded, because a secret may contain characters that a header cannot. */
export const mediaAuthorization = (secret: string): string => `Bearer ${encodeURIComponent(secret)}`;

/** The calls of a media node that is disconnected for longer than this end with FAILED, SYSTEM_ERROR. */
export const MEDIA_LOST_GRACE_MS = 5_000;
/** No RTP from a leg that is not on hold for this long: FAILED, NETWORK_ERROR (docs/requirements.md#calls). */
export const RTP_TIMEOUT_MS = 30_000;
/** Media ends a carrier leg that no realtime node has claimed for this long. */
export const ORPHAN_LEG_MS = 10_000;

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
  /** `clockMs`: as in `sent`. `draining`: the node is stopping and takes no new calls. */
  load: (load: { legs: number; cpu: number; clockMs?: number; draining?: boolean }) => void;
}
export type RealtimeToMedia = {
  [C in MediaCommand]: (
    payload: MediaCommandPayload<C>,
    ack: (reply: MediaAck<MediaReplies[C]>) => void,
  ) => void;
};
