/**
 * The engine's state of one live call, as stored in `LiveCall.state`: a union by phase, each with only that phase's
 * fields. Times are milliseconds since the epoch. Phases are told in prose at the head of machine.ts.
 */
import type { AssignmentType } from '@clarion/protocol';
import type { Outcome } from './outcome.ts';

interface Base {
  callId: number;
  /** Counts what media was told to play; media ignores an older one. */
  revision: number;
}

/** How to reach an outbound call's customer. Numbers are as the trunk wants them; no secret is kept here. */
export interface DialPlan {
  trunkId: number;
  called: string;
  caller: string;
  callerName: string | null;
}

/** The agent's side: a browser's or an app's leg. */
export interface AgentSide {
  agentId: number;
  deviceId: string;
  legId: string;
  connected: boolean;
  /** The leg is gone for good: only a resume brings another. */
  ended: boolean;
  /** The connected leg that this one is to take the place of; it goes on playing until this one connects. */
  previous: { legId: string; deviceId: string } | null;
  /** Since when no socket of the agent is there; null while one is. */
  socketsLostAt: number | null;
  /** Since when the leg's own network is gone; null while it is there. */
  mediaLostAt: number | null;
}

/** A queue as the call met it. The first of `stops` is where it waits, the rest where it overflows to, in order. */
export interface QueueStop {
  queueId: number;
  ref: string;
  ringTimeoutSeconds: number;
  /** Null waits for ever. */
  maxWaitSeconds: number | null;
}

export interface QueueWait {
  /** Never empty. */
  stops: QueueStop[];
  /** Entry into the first queue. */
  since: number;
  /** When this queue gives up; null waits for ever. */
  leaveAt: number | null;
  /** Agents who declined: never offered this call again. */
  declined: number[];
  /** agentId → offers of this call the agent let ring out. */
  missed: Record<string, number>;
}

export interface Offer {
  agentId: number;
  offeredAt: number;
  expiresAt: number;
}

/** An outbound call that waits for its agent's app to start it. */
export interface IntentState extends Base {
  phase: 'intent';
  agentId: number;
  dial: DialPlan;
  startBy: number;
}

export interface DialingState extends Base {
  phase: 'dialing';
  mediaNodeId: string;
  agent: AgentSide;
  dial: DialPlan;
  carrierLegId: string;
  /** agent: the agent's audio is being set up. calling: the INVITE is out. ringing: the customer's phone rings. */
  progress: 'agent' | 'calling' | 'ringing';
  earlyMedia: boolean;
  muted: boolean;
  /** The agent's audio must stand, or the customer answer, by then. */
  giveUpAt: number;
}

interface InboundBase extends Base {
  mediaNodeId: string;
  carrierLegId: string;
}

export interface WaitingState extends InboundBase {
  phase: 'waiting';
  wait: QueueWait;
}

export interface OfferingState extends InboundBase {
  phase: 'offering';
  /** Never empty. */
  offers: Offer[];
  /** Null: a personal line rings its owner. */
  wait: QueueWait | null;
}

export interface ConnectingState extends InboundBase {
  phase: 'connecting';
  agent: AgentSide;
  wait: QueueWait | null;
  /** True once the carrier was sent 200; the call is answered when that is confirmed. */
  answering: boolean;
  muted: boolean;
  connectBy: number;
}

export interface TalkingState extends Base {
  phase: 'talking';
  mediaNodeId: string;
  carrierLegId: string;
  agent: AgentSide;
  /** How the call came to the agent; null for outbound. */
  assignmentType: AssignmentType | null;
  /** The queue it counts against (max_active_calls). */
  queueId: number | null;
  held: boolean;
  muted: boolean;
  answeredAt: number;
}

export interface EndedState extends Base {
  phase: 'ended';
  outcome: Outcome;
  endedAt: number;
}

export type InboundState = WaitingState | OfferingState | ConnectingState;
export type CallState = IntentState | DialingState | InboundState | TalkingState | EndedState;
export type LiveState = Exclude<CallState, EndedState>;
export type Phase = CallState['phase'];

/** The agent who has this call: talking, connecting or dialling. */
export const agentSideOf = (state: CallState): AgentSide | null =>
  state.phase === 'dialing' || state.phase === 'connecting' || state.phase === 'talking' ? state.agent : null;

/** Every agent the call holds: the one who has it and those it rings at. */
export function agentsHeldBy(state: CallState): number[] {
  if (state.phase === 'offering') return state.offers.map(({ agentId }) => agentId);
  const side = agentSideOf(state);
  return side ? [side.agentId] : [];
}

export const mediaNodeOf = (state: CallState): string | null =>
  state.phase === 'intent' || state.phase === 'ended' ? null : state.mediaNodeId;

/** The queue in which the call waits for an agent: what dispatch looks at. RING_ALL adds agents while it rings. */
export const queueOf = (state: CallState): QueueStop | null =>
  state.phase === 'waiting' || state.phase === 'offering' ? (state.wait?.stops[0] ?? null) : null;

/** The queue whose `max_active_calls` this call counts against. */
export function activeQueueOf(state: CallState): number | null {
  if (state.phase === 'talking') return state.queueId;
  if (state.phase === 'connecting') return state.wait?.stops[0]?.queueId ?? null;
  return null;
}
