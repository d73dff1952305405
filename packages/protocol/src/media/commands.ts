/** What realtime has a media node do. */
import { z } from 'zod';
import {
  CARRIER_REQUEST_TIMEOUT_MS,
  registration,
  type CheckupFacts,
  type OptionsReply,
  type RegisterReply,
} from '../carrier-requests.ts';
import { callId, legId } from './fields.ts';
import { recordPlan, route } from './route.ts';
import { dialAttempt, trunkTarget } from './trunk-target.ts';

/** How long realtime waits for an ack to a command. */
export const MEDIA_COMMAND_TIMEOUT_MS = 5_000;
/** How long it waits for an ack to a command whose ack contains the response of a carrier. */
export const TRUNK_COMMAND_TIMEOUT_MS = CARRIER_REQUEST_TIMEOUT_MS + 1_000;

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
    /**
     * The customer's leg whose INVITE is answered with 200 when the browser is connected, and the route of the call that is set before.
     * Fact `leg:connected` of the customer's leg then names the agent's leg too, unless its ACK is late. If the INVITE cannot be answered any
     * more, only the agent's leg is reported.
     */
    answers: z.object({ legId, revision: z.number().int(), route }).optional(),
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
  /**
   * Sends DTMF digits to a customer, once they can receive them (after the answer, or into early media). A repetition with the same `id` is
   * acknowledged and sends nothing. `id` absent: a realtime node of an earlier version.
   */
  'leg:dtmf': z.object({ callId, legId, digits: z.string(), id: z.string().optional() }),
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
  /** repeated: the digits were sent before. */
  'leg:dtmf': { repeated?: true };
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
