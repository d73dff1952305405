/** What media needs to know about a trunk to send requests to it. */
import { z } from 'zod';
import { trunkDestination } from '../json.ts';

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
  /** Max-Forwards of a forwarded call (RFC 7332). Absent: that of a new call. */
  maxForwards: z.number().int().nonnegative().optional(),
});
export type DialAttempt = z.infer<typeof dialAttempt>;
