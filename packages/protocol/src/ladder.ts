/**
 * The SIP ladder of a call, as it is captured and stored: parts, each by one process that saw a side of the call (a media node the SIP and
 * the audio, realtime the requests and webhooks of WhatsApp). A part is stored as compressed JSON and kept for days, so readers must accept
 * parts of earlier versions: fields are only added.
 */
import { z } from 'zod';
import { sent } from './media-clock.ts';

/** Limits per leg, so that neither a long call nor a hostile carrier fills the memory (docs/requirements.md#limits). */
export const LADDER_MESSAGES_PER_LEG = 64;
/** Of one message, in characters; the rest is cut off. */
export const LADDER_MESSAGE_CHARS = 4_096;
/** Of a part as sent and stored. Parts have a few kilobytes. */
export const MAX_LADDER_BYTES = 512 * 1024;
/** Parts in one message of a media node. */
export const MAX_LADDERS_PER_MESSAGE = 50;
/** For how long ladders are kept. */
export const LADDER_KEPT_DAYS = 7;
/** The newest refused INVITEs of a trunk that keep their ladder. */
export const REFUSAL_LADDERS_PER_TRUNK = 50;

/** What replaces a secret, a withheld number or a digit. */
export const MASK = '***';

const base = {
  /** Milliseconds since the beginning of the part. */
  ms: z.number(),
  /** Index in `legs`. */
  leg: z.number().int().nonnegative(),
};
const text = {
  text: z.string(),
  /** Characters that were cut off. */
  cut: z.number().int().positive().optional(),
};

export const ladderEntry = z.discriminatedUnion('kind', [
  /** A SIP message. The address is the other party's; empty if the SIP server does not report it. */
  z.object({
    kind: z.literal('sip'),
    ...base,
    ...text,
    sent: z.boolean(),
    transport: z.string(),
    address: z.string(),
    port: z.number().int(),
  }),
  /** A session description exchanged with an agent's app. */
  z.object({
    kind: z.literal('sdp'),
    ...base,
    ...text,
    sent: z.boolean(),
    type: z.enum(['offer', 'answer']),
  }),
  /** Something that happened to the audio of a leg. */
  z.object({
    kind: z.literal('media'),
    ...base,
    what: z.string(),
    data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  }),
  /** A request to Meta's Graph API, or the response to it. */
  z.object({ kind: z.literal('graph'), ...base, ...text, sent: z.boolean(), title: z.string() }),
]);
export type LadderEntry = z.infer<typeof ladderEntry>;

export const ladderLeg = z.object({
  id: z.string(),
  /** `invite`: of an INVITE that was refused. */
  kind: z.enum(['carrier-in', 'carrier-out', 'agent', 'monitor', 'whatsapp', 'invite']),
  /** Whose leg it is, if the process knows. */
  agentId: z.number().int().nullish(),
  /** Messages above the limit that were not captured. */
  omitted: z.number().int().nonnegative(),
});
export type LadderLeg = z.infer<typeof ladderLeg>;

export const ladderPart = z.object({
  version: z.literal(1),
  legs: z.array(ladderLeg),
  /** In the order of time. */
  entries: z.array(ladderEntry),
});
export type LadderPart = z.infer<typeof ladderPart>;

/** A part on its way from a media node to realtime. Sent again until it is acknowledged. */
export const ladderMessage = z.object({
  ladderId: z.uuid(),
  /** One of the two: the call, or the INVITE that did not become one. */
  callId: z.number().int().positive().nullable(),
  inviteId: z.uuid().nullable(),
  /** When the part begins, by the media node's clock. */
  at: z.string(),
  /** The part: raw deflate of its JSON, in Base64. */
  data: z.base64().max(MAX_LADDER_BYTES),
  sent,
});
export type LadderMessage = z.infer<typeof ladderMessage>;
export const ladderMessages = z.array(ladderMessage).min(1).max(MAX_LADDERS_PER_MESSAGE);
