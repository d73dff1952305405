/**
 * The agent socket (design section 7): socket.io namespace `/agent`, path `/socket.io`, `addTrailingSlash: false`.
 * Every client message is acked with `{ ok: true, … }` or `{ ok: false, error: { code, message, details? } }`.
 */
import { z } from 'zod';
import type { queueStrategies, withdrawReasons } from './enums.ts';
import {
  agentRoles,
  assignmentTypes,
  availabilities,
  callDirections,
  channelTypes,
  shiftStatuses,
  terminationReasons,
  terminators,
} from './enums.ts';
import { failureDetails } from './call.ts';
import type { ErrorBody } from './errors.ts';

export const agentNamespace = '/agent';

/** Limits per socket. An SDP offer of a browser is under 8 kB. */
export const MAX_SOCKET_MESSAGE_BYTES = 64 * 1024;
export const MAX_SOCKET_MESSAGES_PER_10_SECONDS = 200;
/** How long a call waits for an agent who lost every socket (design section 7). */
export const RECONNECT_GRACE_SECONDS = 30;

export const agentHandshake = z.object({
  token: z.string().min(1),
  /** Stable per browser or app install; one agent may be connected on several. */
  deviceId: z.string().min(1).max(191),
  sdk: z.string().max(64).optional(),
});
export type AgentHandshake = z.infer<typeof agentHandshake>;

const callId = z.number().int().positive();
const sdp = z.string().min(1).max(32_768);
/** Keys of a phone, as RFC 4733 names them. */
export const dtmfDigits = z.string().regex(/^[0-9A-D*#]{1,32}$/);

export const clientMessages = {
  'availability:set': z.object({ status: z.enum(shiftStatuses) }),
  /** The agent's app starts an outbound intent. Ack `{ sdpAnswer }`. */
  'call:start': z.object({ callId, sdpOffer: sdp }),
  /** Ack `{ sdpAnswer }`. */
  'call:accept': z.object({ callId, sdpOffer: sdp }),
  'call:decline': z.object({ callId }),
  'call:hangup': z.object({ callId }),
  /** The SDK stops sending the microphone; the server keeps the state for a resume. */
  'call:mute': z.object({ callId, muted: z.boolean() }),
  'call:hold': z.object({ callId, held: z.boolean() }),
  'call:dtmf': z.object({ callId, digits: dtmfDigits }),
  /** Reload, reconnect, a new network, or moving the call to this device. Ack `{ sdpAnswer }`. */
  'call:resume': z.object({ callId, sdpOffer: sdp }),
  'ice:servers': z.object({}),
  /** Asks for a fresh `session`: after a push, or when the app doubts its state. */
  resync: z.object({}),
} as const;
export type ClientMessage = keyof typeof clientMessages;
export type ClientPayload<M extends ClientMessage> = z.infer<(typeof clientMessages)[M]>;

export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

export interface ClientReplies {
  'availability:set': { agent: AgentState };
  'call:start': { sdpAnswer: string; call: AgentCall };
  'call:accept': { sdpAnswer: string; call: AgentCall };
  'call:decline': object;
  'call:hangup': object;
  'call:mute': { call: AgentCall };
  'call:hold': { call: AgentCall };
  'call:dtmf': object;
  'call:resume': { sdpAnswer: string; call: AgentCall };
  'ice:servers': { iceServers: IceServer[] };
  resync: object;
}
export type Ack<T> = ({ ok: true } & T) | ({ ok: false } & ErrorBody);

export const agentState = z.object({
  agentId: z.number().int(),
  agentRef: z.string(),
  name: z.string(),
  role: z.enum(agentRoles),
  availability: z.enum(availabilities),
  /** What the agent chose; comes back when a call ends. */
  shift: z.enum(shiftStatuses),
  doNotDisturb: z.boolean(),
});
export type AgentState = z.infer<typeof agentState>;

/** A call as the agent's app sees it. */
export const agentCall = z.object({
  callId: z.number().int(),
  direction: z.enum(callDirections),
  /** incoming: rings here. dialing: the customer is being called. active: both talk. */
  state: z.enum(['incoming', 'dialing', 'active', 'ended']),
  /** Inbound only. */
  assignmentType: z.enum(assignmentTypes).nullable(),
  customer: z.object({ address: z.string().nullable(), name: z.string().nullable() }),
  channel: z.object({
    ref: z.string(),
    type: z.enum(channelTypes),
    address: z.string(),
    displayName: z.string().nullable(),
  }),
  queue: z.object({ ref: z.string(), name: z.string() }).nullable(),
  externalRef: z.string().nullable(),
  consumerMetadata: z.record(z.string(), z.unknown()).nullable(),
  /** The device that has the call; null while it rings on all of them. */
  deviceId: z.string().nullable(),
  muted: z.boolean(),
  held: z.boolean(),
  createdAt: z.string(),
  answeredAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  terminationReason: z.enum(terminationReasons).nullable(),
  terminatedBy: z.enum(terminators).nullable(),
  failureDetails: failureDetails.nullable(),
});
export type AgentCall = z.infer<typeof agentCall>;

/** A line the agent may call out from. */
export interface DialLine {
  ref: string;
  /** E.164. */
  address: string;
  displayName: string | null;
  /** The agent's own; the others are shared. */
  personal: boolean;
}

/** The whole truth, sent on connect and after a resync: replaces whatever the app believed. */
export interface Session {
  agent: AgentState;
  tenant: { ref: string; name: string };
  /** Ringing offers and the live call. */
  calls: AgentCall[];
  /** Ringing offers carry when they run out, by callId (ISO time). */
  expiries: Record<number, string>;
  queues: { ref: string; name: string; strategy: (typeof queueStrategies)[number] }[];
  /** Oldest first. */
  lines: DialLine[];
  iceServers: IceServer[];
  serverTime: string;
}

export interface ServerMessages {
  session: Session;
  'call:incoming': { call: AgentCall; assignmentType: (typeof assignmentTypes)[number]; expiresAt: string };
  'call:withdrawn': { callId: number; reason: (typeof withdrawReasons)[number] };
  'call:updated': { call: AgentCall };
  'call:ended': { call: AgentCall };
  'agent:updated': { agent: AgentState };
  /** Said before the server closes the socket: token expired, agent deleted, tenant suspended. */
  error: ErrorBody['error'];
}
export type ServerMessage = keyof ServerMessages;

/** Typed maps for socket.io's generics. */
export type ClientToServer = {
  [M in ClientMessage]: (payload: ClientPayload<M>, ack: (reply: Ack<ClientReplies[M]>) => void) => void;
};
export type ServerToClient = { [M in ServerMessage]: (payload: ServerMessages[M]) => void };
