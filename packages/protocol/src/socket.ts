/**
 * The agent socket: socket.io namespace `/agent`, path `/socket.io`, `addTrailingSlash: false`.
 * Every client message is acked with `{ ok: true, … }` or `{ ok: false, error: { code, message, details? } }`.
 */
import { z } from 'zod';
import type {
  ChannelType,
  MonitorEndReason,
  MonitoringMode,
  queueStrategies,
  withdrawReasons,
} from './enums.ts';
import {
  agentRoles,
  assignmentTypes,
  availabilities,
  callDirections,
  channelTypes,
  monitoringModes,
  shiftStatuses,
  terminationReasons,
  terminators,
  transferFailures,
} from './enums.ts';
import { failureDetails } from './call.ts';
import type { ErrorBody } from './errors.ts';
import { webPushSubscription } from './v1/tenant/push.ts';

export const agentNamespace = '/agent';
/** For dashboard users, who watch the board and monitor calls but have none of their own. */
export const dashboardNamespace = '/dashboard';

/** The address that the web process saw, on the sockets it forwards to realtime, and its signature. */
export const CLIENT_ADDRESS_HEADER = 'x-clarion-client';
/** Also set, to `1`, if X-Forwarded-For contained addresses that the web process does not trust (CLARION_TRUSTED_PROXIES). */
export const UNTRUSTED_FORWARDING_HEADER = 'x-clarion-untrusted-forwarding';
/** Limits per socket. An SDP offer of a browser is smaller than 8 kB. */
export const MAX_SOCKET_MESSAGE_BYTES = 64 * 1024;
export const MAX_SOCKET_MESSAGES_PER_10_SECONDS = 200;
/** How long a call waits for an agent who lost every socket (docs/requirements.md#calls). */
export const RECONNECT_GRACE_SECONDS = 30;

export const agentHandshake = z.object({
  token: z.string().min(1),
  /** Stable per browser or app installation. An agent may be connected on several devices. */
  deviceId: z.string().min(1).max(191),
  sdk: z.string().max(64).optional(),
});

export const dashboardHandshake = z.object({
  /** From POST /v1/realtime-tickets, at most one minute old. */
  ticket: z.string().min(1).max(1024),
  /** Stable for one page. A device monitors one call at a time. */
  deviceId: z.string().min(1).max(191),
  sdk: z.string().max(64).optional(),
});
/** The maximum number of pages of one session that watch at the same time. */
export const MAX_DASHBOARD_SOCKETS_PER_SESSION = 20;

const callId = z.number().int().positive();
const sdp = z.string().min(1).max(32_768);
/** DTMF digits (RFC 4733). */
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
  /** Resumes the call after a reload, a reconnection or a network change, or moves it to this device. Ack `{ sdpAnswer }`. */
  'call:resume': z.object({ callId, sdpOffer: sdp }),
  /** Transfers the call to a colleague or a queue of the tenant, by ID. The caller hears hold audio until an agent has answered. */
  'call:transfer': z.union([
    z.strictObject({ callId, agentId: z.number().int().positive() }),
    z.strictObject({ callId, queueId: z.number().int().positive() }),
  ]),
  /** Cancels the transfer before an agent has answered. */
  'call:transfer-cancel': z.object({ callId }),
  /** Pauses the recording, for example while a card number is read out, or resumes it. */
  'call:record': z.object({ callId, paused: z.boolean() }),
  /** Ends the wrap-up early. */
  'wrapup:end': z.object({}),
  /** The colleagues and queues to which a call can be transferred. */
  'colleagues:list': z.object({}),
  /** Monitors a live call of the tenant (role SUPERVISOR). Ack `{ sdpAnswer }`. */
  'monitor:start': z.object({ callId, sdpOffer: sdp, mode: z.enum(monitoringModes).default('LISTEN') }),
  'monitor:mode': z.object({ callId, mode: z.enum(monitoringModes) }),
  'monitor:stop': z.object({ callId }),
  /** Subscribes to the live calls and queues of the tenant and every change of them. */
  'board:subscribe': z.object({}),
  'board:unsubscribe': z.object({}),
  'ice:servers': z.object({}),
  /** Rings this browser when the agent has no app connected: stores its subscription for the agent and the device of the socket. */
  'push:subscribe': z.object({ subscription: webPushSubscription }),
  /** Deletes the subscription of this device. */
  'push:unsubscribe': z.object({}),
  /** Requests the current `session`, for example after a push notification. */
  resync: z.object({}),
} as const;
export type ClientMessage = keyof typeof clientMessages;
/** The messages that a page of the dashboard may send. */
export const dashboardMessages = [
  'monitor:start',
  'monitor:mode',
  'monitor:stop',
  'board:subscribe',
  'board:unsubscribe',
  'ice:servers',
] as const satisfies readonly ClientMessage[];
export type DashboardMessage = (typeof dashboardMessages)[number];
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
  'call:transfer': { call: AgentCall };
  'call:transfer-cancel': { call: AgentCall };
  'call:record': { call: AgentCall };
  'wrapup:end': { agent: AgentState };
  'colleagues:list': { agents: Colleague[]; queues: TransferQueue[] };
  /** `monitorId` identifies this monitor in later messages. */
  'monitor:start': { sdpAnswer: string; monitorId: string; mode: MonitoringMode };
  'monitor:mode': { mode: MonitoringMode };
  'monitor:stop': object;
  'board:subscribe': BoardSnapshot;
  'board:unsubscribe': object;
  'call:resume': { sdpAnswer: string; call: AgentCall };
  'ice:servers': { iceServers: IceServer[] };
  'push:subscribe': object;
  'push:unsubscribe': object;
  resync: object;
}
export type Ack<T> = ({ ok: true } & T) | ({ ok: false } & ErrorBody);

export const agentState = z.object({
  agentId: z.number().int(),
  agentRef: z.string(),
  name: z.string(),
  role: z.enum(agentRoles),
  availability: z.enum(availabilities),
  /** What the agent chose. It applies again when a call ends. */
  shift: z.enum(shiftStatuses),
  doNotDisturb: z.boolean(),
  /** The end of the wrap-up; null: not in wrap-up. */
  wrapUpUntil: z.string().nullable(),
});
export type AgentState = z.infer<typeof agentState>;

/** A call in the agent's app. */
export const agentCall = z.object({
  callId: z.number().int(),
  direction: z.enum(callDirections),
  /** incoming: it is ringing. dialing: the customer is being called. active: the agent and the customer are connected. */
  state: z.enum(['incoming', 'dialing', 'active', 'ended']),
  /** How an inbound call or a callback reached the agent; null for other outbound calls. */
  assignmentType: z.enum(assignmentTypes).nullable(),
  customer: z.object({
    /** `anonymous` when the caller withheld their number. */
    address: z.string().nullable(),
    addressWithheld: z.boolean(),
    name: z.string().nullable(),
  }),
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
  /** Whether the call is recorded. */
  recording: z.enum(['OFF', 'ON', 'PAUSED']),
  /** The pending transfer by this agent; null: none. */
  transfer: z
    .object({
      to: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('agent'), agentId: z.number().int(), name: z.string() }),
        z.object({ kind: z.literal('queue'), queueId: z.number().int(), name: z.string() }),
      ]),
      since: z.string(),
    })
    .nullable(),
  /** Why this agent's last transfer of the call returned; null: there was none, or one is pending. */
  transferFailed: z.enum(transferFailures).nullable(),
  /** Who transferred the call to this agent; null if it was not transferred. */
  transferredBy: z.object({ agentId: z.number().int(), name: z.string() }).nullable(),
  createdAt: z.string(),
  answeredAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  terminationReason: z.enum(terminationReasons).nullable(),
  terminatedBy: z.enum(terminators).nullable(),
  failureDetails: failureDetails.nullable(),
});
export type AgentCall = z.infer<typeof agentCall>;

/** An agent to whom a call can be transferred. */
export interface Colleague {
  agentId: number;
  agentRef: string;
  name: string;
  connected: boolean;
  availability: (typeof availabilities)[number];
}
export interface TransferQueue {
  queueId: number;
  ref: string;
  name: string;
  waiting: number;
  available: number;
}

/** A live call on the board. */
export interface BoardCall {
  callId: number;
  direction: (typeof callDirections)[number];
  /** waiting: in the IVR or a queue. ringing: an agent or the customer. active: the agent and the customer are connected. */
  state: 'waiting' | 'ringing' | 'active';
  customer: AgentCall['customer'];
  channelRef: string;
  channelType: ChannelType;
  /** The display name of the line; null if it has none or was deleted. */
  channelName: string | null;
  queue: { queueId: number; ref: string; name: string } | null;
  agent: { agentId: number; agentRef: string; name: string } | null;
  held: boolean;
  /** Whether the call is recorded. */
  recording: AgentCall['recording'];
  /** Who monitors the call, and in which mode. */
  monitors: { name: string; mode: MonitoringMode }[];
  createdAt: string;
  waitingSince: string | null;
  answeredAt: string | null;
  /** Increases with every change of the call; ignore older versions that arrive late. */
  version: number;
}

export interface QueueCounters {
  queueId: number;
  ref: string;
  name: string;
  waiting: number;
  /** When the longest-waiting caller started waiting (ISO time); null if no one is waiting. */
  longestWaitingSince: string | null;
  agents: { available: number; onCall: number; offline: number };
}

export const boardAgentStates = ['AVAILABLE', 'RINGING', 'ON_CALL', 'WRAP_UP', 'OFFLINE'] as const;
export type BoardAgentState = (typeof boardAgentStates)[number];

/** An agent of the tenant on the board. */
export interface BoardAgent {
  agentId: number;
  agentRef: string;
  name: string;
  role: (typeof agentRoles)[number];
  /** AVAILABLE: connected and idle. OFFLINE: by choice, or because no app is connected. */
  state: BoardAgentState;
  connected: boolean;
  doNotDisturb: boolean;
  /** Since when they have been in this state (ISO time); null if unknown. */
  since: string | null;
  /** The end of the wrap-up, if the state is WRAP_UP. */
  until: string | null;
  /** The call that is ringing them or that they have. */
  callId: number | null;
  queueIds: number[];
}

/** The whole board at the time of the subscription. */
export interface BoardSnapshot {
  calls: BoardCall[];
  queues: QueueCounters[];
  /** Oldest first. */
  agents: BoardAgent[];
}

/** A line from which the agent may place calls. */
export interface DialLine {
  ref: string;
  /** SIP: a phone line. A WhatsApp line calls only customers who have allowed it. */
  type: ChannelType;
  /** E.164. */
  address: string;
  displayName: string | null;
  /** A personal line of the agent. Other lines are shared. */
  personal: boolean;
}

/** The complete state, sent on connect and after a resync. It replaces the state of the app. */
export interface Session {
  agent: AgentState;
  tenant: { ref: string; name: string; teamView: boolean; monitoringModes: MonitoringMode[] };
  /** Ringing offers and the live call. */
  calls: AgentCall[];
  /** When ringing offers expire, by callId (ISO time). */
  expiries: Record<number, string>;
  queues: { id: number; ref: string; name: string; strategy: (typeof queueStrategies)[number] }[];
  /** Oldest first. */
  lines: DialLine[];
  iceServers: IceServer[];
  serverTime: string;
  /** The calls that this agent monitors, on any device. */
  monitors: MonitorState[];
  /** The VAPID key with which a browser subscribes to push notifications (RFC 8292); null: the account has not set up web push. */
  webPushKey: string | null;
}

export interface MonitorState {
  callId: number;
  monitorId: string;
  deviceId: string;
  mode: MonitoringMode;
}

/** The complete state for a dashboard page, sent on connect and on every change. */
export interface WatchSession {
  tenant: { ref: string; name: string };
  /** What this user may do with the tenant's calls now. */
  monitoringModes: MonitoringMode[];
  iceServers: IceServer[];
  serverTime: string;
  /** The calls that this session monitors, on any of its pages. */
  monitors: MonitorState[];
}

export interface ServerMessages {
  session: Session;
  /** Sent to pages of the dashboard instead of `session`. */
  watching: WatchSession;
  'call:incoming': { call: AgentCall; assignmentType: (typeof assignmentTypes)[number]; expiresAt: string };
  'call:withdrawn': { callId: number; reason: (typeof withdrawReasons)[number] };
  'call:updated': { call: AgentCall };
  'call:ended': { call: AgentCall };
  'agent:updated': { agent: AgentState };
  'board:call': { call: BoardCall } | { removed: number };
  'board:counters': { queues: QueueCounters[] };
  /** The agents that changed, and those that were removed. With `complete`, the list contains all agents. */
  'board:agents': { agents: BoardAgent[]; removed: number[]; complete: boolean };
  /** Sent to a socket that is subscribed to the board and may no longer see it. */
  'board:ended': { reason: 'NOT_ALLOWED' };
  /** The monitor continues in another mode, because the tenant's modes have changed. */
  'monitor:updated': { callId: number; monitorId: string; mode: MonitoringMode };
  'monitor:ended': { callId: number; monitorId: string; reason: MonitorEndReason };
  /** Sent before the server closes the socket: token expired, agent deleted, tenant suspended. */
  error: ErrorBody['error'];
}
export type ServerMessage = keyof ServerMessages;
/** The messages that a page of the dashboard receives. */
export type DashboardServerMessage = Extract<
  ServerMessage,
  'watching' | `board:${string}` | `monitor:${string}` | 'error'
>;

/** Type maps for socket.io's generics. */
export type ClientToServer = {
  [M in ClientMessage]: (payload: ClientPayload<M>, ack: (reply: Ack<ClientReplies[M]>) => void) => void;
};
export type ServerToClient = { [M in ServerMessage]: (payload: ServerMessages[M]) => void };
