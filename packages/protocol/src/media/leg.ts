/** The kinds of legs, how a leg ended, and what its audio was like. */
import { z } from 'zod';
import { failureCodes } from '../failures.ts';

/** carrier-in, carrier-out: the customer's leg. */
export const legKinds = ['carrier-in', 'carrier-out', 'agent', 'monitor'] as const;
export type LegKind = (typeof legKinds)[number];

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
