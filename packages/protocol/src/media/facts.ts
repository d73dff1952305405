/** What a media node reports. */
import { z } from 'zod';
import { failureCodes } from '../failures.ts';
import type { Sent } from '../media-clock.ts';
import { at, callId, legId } from './fields.ts';
import { inviteRequest } from './invite.ts';
import { legEnd, legKinds, legStats } from './leg.ts';

/** Media → realtime: what happened. Acked with `{ ok: true }` when the engine has processed the fact, or will never be able to. */
export const mediaFacts = {
  /** The first 180 or 183 from the carrier. `trunkId`: of the dial attempt that reached it. */
  'leg:ringing': z.object({ callId, legId, at, trunkId: z.number().int().optional() }),
  /** ACK of our 200, 200 to our INVITE, or ICE and DTLS done. `trunkId`: of the dial attempt that was answered. */
  'leg:connected': z.object({
    callId,
    legId,
    at,
    codec: z.string(),
    trunkId: z.number().int().optional(),
    /** Of a customer's leg: the agent's leg whose connection answered it (`agent:connect`), which is not reported by itself. */
    agent: z.object({ legId, codec: z.string() }).optional(),
    /** Of an agent's leg: its connection has sent the customer a 200, whose ACK is late. */
    answered: z.literal(true).optional(),
  }),
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
