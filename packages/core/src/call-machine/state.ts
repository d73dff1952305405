/**
 * The engine's state of one live call, as stored in `LiveCall.state`: a union by phase, each with only that phase's fields. Times are
 * milliseconds since the epoch. machine.ts describes the phases.
 */
import type { AssignmentType, MediaPath, MonitoringMode, TransferFailure } from '@clarion/protocol';
import type { FlowRun } from '../ivr/flow-run.ts';
import type { CallPricing } from '../rating/call-pricing.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import type { Outcome } from './outcome.ts';

interface Base {
  callId: number;
  /** Revision of the route. Media ignores older ones. */
  revision: number;
}

/** Fields that a live call keeps from its creation. */
export interface LiveBase extends Base {
  /** Whether the conversation is recorded: the line's, tenant's or account's policy when the call began. */
  record: boolean;
  mediaPath: MediaPath;
  /** The prices with which the call began. Absent in the rows of earlier versions. */
  pricing?: CallPricing;
  /** When the customer was connected: by our 200 or theirs. From then on the call costs money. Absent: not yet. */
  connectedAt?: number;
  /** When the call reaches its maximum duration (CLARION_MAX_CALL_SECONDS). Absent: an intent or a callback that no agent has started. */
  endBy?: number;
}

/** How to dial an outbound call's customer. Contains no secrets. */
export type DialPlan = SipDialPlan | WhatsAppDialPlan;

/** Numbers in the form that the trunk requires. */
export interface SipDialPlan {
  /** Absent in the rows of earlier versions. */
  provider?: 'SIP';
  trunkId: number;
  called: string;
  caller: string;
  callerName: string | null;
  /** The trunk that is tried if the first one cannot place the call; absent: none. */
  backup?: { trunkId: number; called: string; caller: string };
}

export interface WhatsAppDialPlan {
  provider: 'WHATSAPP';
  /** The line whose number places the call. */
  channelId: number;
  /** As stored with the call: `+` and digits, or a user ID. */
  address: string;
}

export const isWhatsAppPlan = (plan: DialPlan): plan is WhatsAppDialPlan => plan.provider === 'WHATSAPP';

/** What is dialled, for the log of the call. */
export const calledIn = (plan: DialPlan): string => (isWhatsAppPlan(plan) ? plan.address : plan.called);

/** The agent's side: a leg of a browser or an app. */
export interface AgentSide {
  agentId: number;
  deviceId: string;
  legId: string;
  connected: boolean;
  /** The leg has ended; the agent must resume with a new one. */
  ended: boolean;
  /** The connected leg that this one replaces. It stays in the route until this one connects. */
  previous: { legId: string; deviceId: string } | null;
  /** Since when the agent has no socket; null while there is one. */
  socketsLostAt: number | null;
  /** Since when the leg's own network is lost; null while it is there. */
  mediaLostAt: number | null;
}

export interface QueueWait {
  /** Never empty. */
  stops: OverflowHop[];
  /** Time of entry into the first queue. */
  since: number;
  /** When the maximum wait of this queue is over; null: no limit. */
  leaveAt: number | null;
  /** Agents who declined. They are not offered this call again. */
  declined: number[];
  /** Agent ID → number of missed offers of this call. */
  missed: Record<string, number>;
  /** Skills the agent must have, in lower case; empty: none. */
  skills: string[];
  /** When this queue starts to offer the call to agents without the skills; null: never, or it has started. */
  relaxAt: number | null;
  /** It has started to. */
  relaxed: boolean;
  /** Time of the caller's next announcement; null: none. */
  announceAt: number | null;
  /** The announcement being played (its `playId`); null: the caller hears hold audio, or the carrier's ringback. */
  announcing: string | null;
}

export interface Offer {
  agentId: number;
  offeredAt: number;
  expiresAt: number;
  /** In a queue or a transfer: since when the agent has no socket. Absent while there is one. */
  goneAt?: number;
  /** The agent had no socket when the offer was made, and no app that a push notification woke has connected since. */
  waking?: true;
}

/** A transfer to another agent or a queue. The first agent keeps the call until an agent has accepted and is connected. */
export interface Transfer {
  /** The agent who transfers. */
  fromAgentId: number;
  to: { kind: 'agent'; agentId: number } | { kind: 'queue'; queueId: number };
  since: number;
  /** To a queue: the caller's wait in it; null: to an agent. */
  wait: QueueWait | null;
  /** The agents being rung. Empty: it waits in the queue, or an agent has accepted. */
  offers: Offer[];
  /** The agent who has accepted and whose audio is being connected; null: none yet. */
  accepted: { side: AgentSide; offeredAt: number; connectBy: number } | null;
}

/** A monitor: a person who listens to the conversation and may speak into it. */
export interface Monitor {
  /** DASHBOARD, OPERATOR: people without an agent. */
  kind: 'SUPERVISOR' | 'DASHBOARD' | 'OPERATOR';
  agentId: number | null;
  /** DASHBOARD: the listener's session (DashboardSession.id); absent for others. */
  sessionId?: number;
  name: string;
  deviceId: string | null;
  legId: string;
  mode: MonitoringMode;
  connected: boolean;
  /** Their audio must be connected by then. */
  connectBy: number;
  /** Since when their network is lost; null while it is there. */
  lostAt: number | null;
}

/** An outbound call that waits for its agent's app to start it. */
export interface IntentState extends LiveBase {
  phase: 'intent';
  agentId: number;
  dial: DialPlan;
  startBy: number;
}

export interface DialingState extends LiveBase {
  phase: 'dialing';
  /** The queue that assigned the callback to the agent; null: an ordinary outbound call. */
  queue: OverflowHop | null;
  /** Callback: the wait to which it returns if the agent's audio fails. */
  wait: QueueWait | null;
  mediaNodeId: string;
  agent: AgentSide;
  dial: DialPlan;
  carrierLegId: string;
  /** agent: the agent's audio is being connected. calling: the INVITE has been sent. ringing: the customer's phone rings. */
  progress: 'agent' | 'calling' | 'ringing';
  muted: boolean;
  /** The agent's audio must be connected, or the customer must answer, by then. */
  giveUpAt: number;
}

export interface InboundBase extends LiveBase {
  mediaNodeId: string;
  carrierLegId: string;
  /** Nobody is rung for longer while the caller hears ringing, because the provider then ends the call. Absent: no limit. */
  ringUntil?: number;
  /** The carrier already has our 200 (from an IVR or a queue that answers), so that the caller can hear audio. */
  answered: boolean;
  /** The flow of the call; null: none. */
  flow: FlowRun | null;
  /** Counts prompts and announcements played to the caller, for unique `playId`s. */
  plays: number;
  /** When media detected the flow's last key, by media's clock: distinguishes a repetition from a second press of the same key. */
  keyAt: number | null;
}

/** The consumer's lookup hook is queried about the caller, at most until `proceedAt`; the carrier plays ringback meanwhile. */
export interface ArrivingState extends InboundBase {
  phase: 'arriving';
  proceedAt: number;
  /** The owner is reserved already. */
  next:
    | { kind: 'flow' }
    | { kind: 'queue'; stops: OverflowHop[] }
    | { kind: 'owner'; agentId: number; ringTimeoutSeconds: number; waking?: true }
    /** The owner is being rung by another call, so they are not reserved. */
    | { kind: 'awaited-owner'; agentId: number; ringTimeoutSeconds: number };
}

/** The owner of the personal line is being rung by another call. This call rings them as soon as they are released. */
export interface AwaitingOwnerState extends InboundBase {
  phase: 'awaiting-owner';
  agentId: number;
  ringTimeoutSeconds: number;
  /** When the engine next tries to reserve the owner. */
  seekAt: number;
  giveUpAt: number;
}

/** An IVR flow has the caller. */
export interface IvrState extends InboundBase {
  phase: 'ivr';
  flow: FlowRun;
  /** The agent requested by the flow; null: none. */
  seeking: number | null;
  /** Time by which the 200 must be acknowledged, a node's time ends, a prompt must have ended, or the agent must have been found. */
  wakeAt: number;
}

/** Entering a queue that answers while callers wait: the 200 was sent and must be acknowledged by `answerBy`. Not offered to agents yet. */
export interface AnsweringState extends InboundBase {
  phase: 'answering';
  wait: QueueWait;
  answerBy: number;
}

/** A caller who hung up to be called back keeps their place: the callback waits and rings an agent before it dials. */
export interface CallbackState extends LiveBase {
  phase: 'callback';
  dial: DialPlan;
  wait: QueueWait;
  /** Empty: waiting. */
  offers: Offer[];
}

export interface WaitingState extends InboundBase {
  phase: 'waiting';
  wait: QueueWait;
  /**
   * The caller has requested a callback and hears the confirmation, at most until `by`. The call is not offered to agents. Null: no
   * request.
   */
  leaving: { playId: string; by: number } | null;
}

export interface OfferingState extends InboundBase {
  phase: 'offering';
  /** Never empty. */
  offers: Offer[];
  /** Null: rings the owner of a personal line, or the agent named by a flow. */
  wait: QueueWait | null;
}

export interface ConnectingState extends InboundBase {
  phase: 'connecting';
  agent: AgentSide;
  wait: QueueWait | null;
  /** True once the carrier was sent a 200. The call is answered when that is acknowledged. */
  answering: boolean;
  /**
   * The agent hung up. After our 200 the call ends as soon as the carrier acknowledges it. Before it, media is asked to end the agent's leg, and
   * what it reports decides: it has answered the call by itself, or the agent has declined it.
   */
  hungUp?: true;
  muted: boolean;
  connectBy: number;
  /** `connectBy` was extended once, because it passed during an outage. */
  extended?: true;
}

export interface TalkingState extends LiveBase {
  phase: 'talking';
  mediaNodeId: string;
  carrierLegId: string;
  agent: AgentSide;
  /** How the agent was assigned; null for outbound. */
  assignmentType: AssignmentType | null;
  /** The queue through which the call came and against whose max_active_calls it counts; null: none. */
  queue: OverflowHop | null;
  held: boolean;
  muted: boolean;
  answeredAt: number;
  transfer: Transfer | null;
  /** Why this agent's last transfer returned; null: there was none, or one is in progress. */
  transferFailed: TransferFailure | null;
  /** Who transferred the call to this agent; null: no transfer. */
  transferredBy: number | null;
  /** Agents who declined the call in a queue. No queue offers it to them again. */
  declined: number[];
  monitors: Monitor[];
  recordingPaused: boolean;
}

export interface EndedState extends Base {
  phase: 'ended';
  outcome: Outcome;
  endedAt: number;
}

export type InboundState =
  | ArrivingState
  | AwaitingOwnerState
  | IvrState
  | AnsweringState
  | WaitingState
  | OfferingState
  | ConnectingState;
export type CallState = IntentState | CallbackState | DialingState | InboundState | TalkingState | EndedState;
export type LiveState = Exclude<CallState, EndedState>;

/** The agent who has this call: talking, connecting or dialling. */
export const agentSideOf = (state: CallState): AgentSide | null =>
  state.phase === 'dialing' || state.phase === 'connecting' || state.phase === 'talking' ? state.agent : null;

/** Every agent whose audio is connected or being connected: the one who has the call and the one to whom it is transferred. */
export function agentSidesOf(state: CallState): AgentSide[] {
  const side = agentSideOf(state);
  const taking = state.phase === 'talking' ? state.transfer?.accepted?.side : undefined;
  return [...(side ? [side] : []), ...(taking ? [taking] : [])];
}

/** The open offers of the call. */
export function offersOf(state: CallState): Offer[] {
  if (state.phase === 'offering' || state.phase === 'callback') return state.offers;
  return state.phase === 'talking' ? (state.transfer?.offers ?? []) : [];
}

/**
 * Every agent reserved by the call: the one who has it, the one to whom it is transferred, those being rung, and the owner who will be
 * rung.
 */
export const reservedAgentIds = (state: CallState): number[] => [
  ...agentSidesOf(state).map(({ agentId }) => agentId),
  ...offersOf(state).map(({ agentId }) => agentId),
  ...(state.phase === 'arriving' && state.next.kind === 'owner' ? [state.next.agentId] : []),
];

/** Whether the step from `previous` to `state` connected the customer of a call that has prices. */
export const isConnection = (
  previous: CallState | null,
  state: CallState,
): state is LiveState & Required<Pick<LiveBase, 'pricing' | 'connectedAt'>> =>
  previous !== null &&
  previous.phase !== 'ended' &&
  previous.connectedAt === undefined &&
  state.phase !== 'ended' &&
  state.connectedAt !== undefined &&
  state.pricing !== undefined &&
  state.pricing.routes.length > 0;

/** We call the customer or have answered their call, and media has not reported them as connected yet. */
export function isBeingAnswered(state: CallState): boolean {
  switch (state.phase) {
    case 'dialing':
    case 'answering':
      return true;
    case 'connecting':
      return state.answering;
    case 'ivr':
      return !state.answered;
    default:
      return false;
  }
}

export const mediaNodeOf = (state: CallState): string | null =>
  'mediaNodeId' in state ? state.mediaNodeId : null;

/** The wait for an agent of a queue: of a caller without an agent, or of a transferred call. RING_ALL adds agents while it rings. */
export function waitOf(state: CallState): QueueWait | null {
  if (state.phase === 'waiting') return state.leaving ? null : state.wait;
  if (state.phase === 'offering' || state.phase === 'callback') return state.wait;
  return state.phase === 'talking' && state.transfer && !state.transfer.accepted ? state.transfer.wait : null;
}

/** The owner whom this call rings as soon as another call releases them. */
export const awaitedOwnerOf = (state: CallState): number | null =>
  state.phase === 'awaiting-owner' ? state.agentId : null;

type SkillsWanted = Pick<QueueWait, 'skills' | 'relaxed' | 'relaxAt'>;

/** The skills that an agent needs now. */
export const skillsAskedFor = ({ skills, relaxed, relaxAt }: SkillsWanted, now: number): string[] =>
  relaxed || (relaxAt !== null && now >= relaxAt) ? [] : skills;

/** The queue in which the call waits for an agent: input of dispatch. */
/** A step of the call may continue in its flow. */
export const isInFlow = (state: CallState): boolean => 'flow' in state && state.flow !== null;

export const queueOf = (state: CallState): OverflowHop | null => waitOf(state)?.stops[0] ?? null;

/** The queue whose `max_active_calls` this call counts against. */
export function activeQueueOf(state: CallState): number | null {
  if (state.phase === 'talking') {
    const taking = state.transfer?.accepted ? state.transfer.wait?.stops[0] : undefined;
    return (taking ?? state.queue)?.queueId ?? null;
  }
  if (state.phase === 'connecting') return state.wait?.stops[0]?.queueId ?? null;
  if (state.phase === 'dialing') return state.queue?.queueId ?? null;
  return null;
}

/** Whether the conversation is recorded now. */
export function recordingOf(state: CallState | null): 'OFF' | 'ON' | 'PAUSED' {
  if (state?.phase !== 'talking' || !state.record) return 'OFF';
  return state.recordingPaused ? 'PAUSED' : 'ON';
}
