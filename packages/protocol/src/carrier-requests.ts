/** Requests to a carrier outside a call (OPTIONS, REGISTER) and the facts of a check-up, as media reports them. */
import { z } from 'zod';
import { failureCodes } from './failures.ts';

/** How long media waits for the final response to a request outside a call; over UDP it is repeated three times meanwhile. */
export const CARRIER_RESPONSE_TIMEOUT_MS = 4_000;
/** The longest time that media takes for one such request, with its DNS lookups and a repetition with credentials. */
export const CARRIER_REQUEST_TIMEOUT_MS = 5_500;

const failureCode = z.enum(failureCodes);

/**
 * Whether the carrier asked for credentials. none: it did not. accepted, rejected: what it did with ours. missing: the trunk has none.
 * unsupported: it asked in a way that we do not support.
 */
export const digestOutcomes = ['none', 'accepted', 'rejected', 'missing', 'unsupported'] as const;

/** The final response of a carrier, or why there was none. */
export const carrierReply = z.object({
  /** Where the request was sent: `sip:host:port;transport=udp`. */
  target: z.string(),
  /** The IP address to which it was sent; null: it was not sent. */
  address: z.string().nullable(),
  status: z.number().int().nullable(),
  reason: z.string().nullable(),
  rttMs: z.number().nullable(),
  /** Why there was no response, as a sentence, and its code; null: there was one. */
  error: z.string().nullable(),
  code: failureCode.nullable(),
  digest: z.enum(digestOutcomes),
  /**
   * Our address in the top Via of the response: `announced` is what we wrote, the others are what the carrier saw (RFC 3261, section
   * 18.2.1; RFC 3581). Null: no response.
   */
  via: z
    .object({ announced: z.string(), received: z.string().nullable(), rport: z.number().int().nullable() })
    .nullable(),
});
export type CarrierReply = z.infer<typeof carrierReply>;

/** The response to OPTIONS. */
export const optionsReply = carrierReply.extend({
  /** Methods of the Allow header. */
  allow: z.array(z.string()),
  /** Audio codecs of the session description in the response; null: it has none. */
  codecs: z.array(z.string()).nullable(),
});
export type OptionsReply = z.infer<typeof optionsReply>;

/** The response to REGISTER. */
export const registerReply = carrierReply.extend({
  /** For how long the binding of our contact lasts; null: it was not granted. */
  expiresSeconds: z.number().int().nullable(),
  /** Of a 423. */
  minExpiresSeconds: z.number().int().nullable(),
  retryAfterSeconds: z.number().int().nullable(),
});
export type RegisterReply = z.infer<typeof registerReply>;

/** Who registers. */
export const registration = z.object({
  /** User part of the contact; the carrier sends calls to it, so it identifies the trunk (its ingress label). */
  contactUser: z.string().min(1).max(64),
  /** The same for every REGISTER of a registration, with increasing numbers (RFC 3261, section 10.2). */
  sipCallId: z.string().min(1).max(128),
  cseq: z.number().int().positive(),
});
export type Registration = z.infer<typeof registration>;

/** What DNS returns for one host of a trunk. */
export const nameFacts = z.object({
  host: z.string(),
  addresses: z.array(z.string()),
  /** Those of them that are not public, to which nothing is sent. */
  refused: z.array(z.string()),
  /** `host:port` of the SRV records in the order in which they are used; null: they are not used. */
  srv: z.array(z.string()).nullable(),
  error: z.string().nullable(),
});
export type NameFacts = z.infer<typeof nameFacts>;

export const certificateFacts = z.object({
  /** Names for which it was issued. */
  names: z.array(z.string()),
  issuer: z.string().nullable(),
  validTo: z.string().nullable(),
  matchesHost: z.boolean(),
  /** Why it is not trusted, as OpenSSL names it; null: it is trusted. */
  untrusted: z.string().nullable(),
});
export type CertificateFacts = z.infer<typeof certificateFacts>;

/** What a check-up finds out about the carrier. Null: not looked at, because an earlier step failed or it does not apply. */
export const checkupFacts = z.object({
  at: z.string(),
  names: z.array(nameFacts),
  /** TCP, for trunks over TCP and TLS. */
  connection: z.object({ address: z.string(), ms: z.number(), error: z.string().nullable() }).nullable(),
  certificate: certificateFacts.nullable(),
  /** Null: no address of the trunk may be contacted. */
  options: optionsReply.nullable(),
  /** A REGISTER that changes no binding, to try the credentials of a trunk that registers. */
  registrar: registerReply.nullable(),
});
export type CheckupFacts = z.infer<typeof checkupFacts>;
