/** The decision about an INVITE, which media asks realtime for. */
import { z } from 'zod';
import { legId } from './fields.ts';
import type { CarrierCodec } from './trunk-target.ts';

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
  /** Host, and port if present, of Contact. Absent: sent by a media node of an earlier version. */
  contactHost: z.string().optional(),
  /** Max-Forwards, which a forwarded call inherits (RFC 7332). Absent: sent by a media node of an earlier version. */
  maxForwards: z.number().int().nonnegative().optional(),
  sipCallId: z.string(),
  /**
   * How long this node has for its decision, from the arrival of the request. Later the INVITE belongs to another node or has been
   * withdrawn. Relative, because the clocks of hosts differ; absent: sent by a media node of an earlier version.
   */
  decideWithinMs: z.number().int().positive().optional(),
});
export type InviteRequest = z.infer<typeof inviteRequest>;

/**
 * accept: media responds with 180 and keeps the INVITE for `carrier:answer`. `sourceCidrs` are those of the trunk: RTP is accepted only from
 * them or from the address in the SDP. reject: media responds with `status`, with Retry-After if `retryAfterSeconds` is present, and with
 * Contact if `contact` is, a SIP URI to which the carrier is to send the call (status 302, RFC 3261 section 21.3.3).
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
      contact?: string;
      overloadedMs?: number;
      /** The refusal is stored for a trunk: media sends its SIP ladder. */
      stored?: boolean;
    };
/** Realtime must decide within this time; otherwise media asks another node, and responds with 503 after it has asked all of them. */
export const INVITE_DECISION_TIMEOUT_MS = 4_000;
