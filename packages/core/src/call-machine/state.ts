/**
 * The engine's state of one live call, as stored in `LiveCall.state`: a union by phase, each with only that phase's
 * fields. Times are milliseconds since the epoch. Phases are told in prose at the head of machine.ts.
 */
import type { AssignmentType, MediaPath, MonitoringMode, TransferFailure } from '@clarion/protocol';
import type { FlowRun } from '../ivr/flow-run.ts';
import type { QueueStop } from '../queue-routing/queue-stop.ts';
import type { Outcome } from './outcome.ts';

interface Base {
  callId: number;
  /** Counts what media was told to play; media ignores an older one. */
  revision: number;
}

/** What a live call was given on its first day and keeps. */
export interface LiveBase extends Base {
  /** Whether the conversation is recorded: the line's, tenant's or account's policy when the call began. */
  record: boolean;
  mediaPath: MediaPath;
  /** When the call reaches its maximum duration (CLARION_MAX_CALL_SECONDS). Absent: an intent or a call back that no agent has started. */
  endBy?: number;
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
  /** Skills the agent must have, in lower case; empty: anybody. */
  skills: string[];
  /** When this queue offers the call to agents without them, too; null: never, or it does already. */
  relaxAt: number | null;
  /** It does already. */
  relaxed: boolean;
  /** When the caller is next told where they stand; null: never. */
  announceAt: number | null;
  /** What is told them now (its `playId`); null: they hear the queue's hold audio, or the carrier's ringing. */
  announcing: string | null;
}

export interface Offer {
  agentId: number;
  offeredAt: number;
  expiresAt: number;
  /** Of a queue or a transfer: since when no socket of the agent is there. Absent while one is. */
  goneAt?: number;
}

/** A colleague or queue that is to have the call; the agent keeps it until somebody there has answered. */
export interface Transfer {
  /** Who transfers. */
  fromAgentId: number;
  to: { kind: 'agent'; agentId: number } | { kind: 'queue'; queueId: number };
  since: number;
  /** Of a queue: the caller's wait in it; null: to an agent. */
  wait: QueueWait | null;
  /** Whom it rings at. Empty: it waits in the queue, or somebody has accepted. */
  offers: Offer[];
  /** Who has accepted and whose audio is being set up; null: nobody yet. */
  accepted: { side: AgentSide; offeredAt: number; connectBy: number } | null;
}

/** Somebody who listens to the conversation, and may speak into it. */
export interface Monitor {
  /** DASHBOARD, OPERATOR: people without an agent. */
  kind: 'SUPERVISOR' | 'DASHBOARD' | 'OPERATOR';
  agentId: number | null;
  /** DASHBOARD: the session (DashboardSession.id) that listens; absent for everybody else. */
  sessionId?: number;
  name: string;
  deviceId: string | null;
  legId: string;
  mode: MonitoringMode;
  connected: boolean;
  /** Their audio must stand by then. */
  connectBy: number;
  /** Since when their network is gone; null while it is there. */
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
  /** The queue through which the agent came to call back; null: the agent's own call. */
  queue: QueueStop | null;
  /** Of a call back: the place it goes back to when the agent's audio cannot be set up. */
  wait: QueueWait | null;
  mediaNodeId: string;
  agent: AgentSide;
  dial: DialPlan;
  carrierLegId: string;
  /** agent: the agent's audio is being set up. calling: the INVITE is out. ringing: the customer's phone rings. */
  progress: 'agent' | 'calling' | 'ringing';
  muted: boolean;
  /** The agent's audio must stand, or the customer answer, by then. */
  giveUpAt: number;
}

export interface InboundBase extends LiveBase {
  mediaNodeId: string;
  carrierLegId: string;
  /** The carrier already has our 200 (from an IVR or a queue that answers), so that the caller can hear audio. */
  answered: boolean;
  /** The flow that has, or had, the caller; null: none. */
  flow: FlowRun | null;
  /** Counts what was played to the caller: names a `playId`. */
  plays: number;
  /** When media took the flow's last key down, by its own clock: tells a repeat from the same key pressed again. */
  keyAt: number | null;
}

/** The caller's product is asked about them (lookup hook), at most until `proceedAt`; the carrier rings meanwhile. */
export interface ArrivingState extends InboundBase {
  phase: 'arriving';
  proceedAt: number;
  /** The owner is reserved already. */
  next:
    | { kind: 'flow' }
    | { kind: 'queue'; stops: QueueStop[] }
    | { kind: 'owner'; agentId: number; ringTimeoutSeconds: number }
    /** Another call rings at them, so they are not reserved. */
    | { kind: 'awaited-owner'; agentId: number; ringTimeoutSeconds: number };
}

/** A personal line at whose owner another call rings: this call rings at them as soon as they are released. */
export interface AwaitingOwnerState extends InboundBase {
  phase: 'awaiting-owner';
  agentId: number;
  ringTimeoutSeconds: number;
  /** When the engine next tries to reserve the owner. */
  seekAt: number;
  giveUpAt: number;
}

/** A flow has the caller. */
export interface IvrState extends InboundBase {
  phase: 'ivr';
  flow: FlowRun;
  /** The agent who is being looked for; null: nobody. */
  seeking: number | null;
  /** Our 200 must be confirmed, the node's time is over, a prompt must have ended, or an agent must have been found by then. */
  wakeAt: number;
}

/** Entering a queue that answers while callers wait: our 200 is sent and must be confirmed by `answerBy`. Not offered yet. */
export interface AnsweringState extends InboundBase {
  phase: 'answering';
  wait: QueueWait;
  answerBy: number;
}

/** A caller who hung up to be called back keeps their place: the call back waits, and rings at an agent, before it dials. */
export interface CallbackState extends LiveBase {
  phase: 'callback';
  dial: DialPlan;
  wait: QueueWait;
  /** Empty: waits. */
  offers: Offer[];
}

export interface WaitingState extends InboundBase {
  phase: 'waiting';
  wait: QueueWait;
  /** The caller has asked to be called back and is told so, at most until `by`; offered to nobody. Null: they wait. */
  leaving: { playId: string; by: number } | null;
}

export interface OfferingState extends InboundBase {
  phase: 'offering';
  /** Never empty. */
  offers: Offer[];
  /** Null: a personal line rings its owner, or a flow the agent it names. */
  wait: QueueWait | null;
}

export interface ConnectingState extends InboundBase {
  phase: 'connecting';
  agent: AgentSide;
  wait: QueueWait | null;
  /** True once the carrier was sent 200; the call is answered when that is confirmed. */
  answering: boolean;
  /** The agent hung up after our 200: over as soon as the carrier has confirmed it. */
  hungUp?: true;
  muted: boolean;
  connectBy: number;
}

export interface TalkingState extends LiveBase {
  phase: 'talking';
  mediaNodeId: string;
  carrierLegId: string;
  agent: AgentSide;
  /** How the call came to the agent; null for outbound. */
  assignmentType: AssignmentType | null;
  /** The queue it came through and counts against (max_active_calls); null: none. */
  queue: QueueStop | null;
  held: boolean;
  muted: boolean;
  answeredAt: number;
  transfer: Transfer | null;
  /** Why this agent's last one came back; null: there was none, or one is under way. */
  transferFailed: TransferFailure | null;
  /** Who transferred the call to this agent; null: nobody. */
  transferredBy: number | null;
  /** Agents who declined it in a queue: no queue offers it to them again. */
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

/** Everybody whose audio is the call's, or is being set up to be: who has it, and who takes it over from them. */
export function agentSidesOf(state: CallState): AgentSide[] {
  const side = agentSideOf(state);
  const taking = state.phase === 'talking' ? state.transfer?.accepted?.side : undefined;
  return [...(side ? [side] : []), ...(taking ? [taking] : [])];
}

/** Whom the call rings at. */
export function offersOf(state: CallState): Offer[] {
  if (state.phase === 'offering' || state.phase === 'callback') return state.offers;
  return state.phase === 'talking' ? (state.transfer?.offers ?? []) : [];
}

/** Every agent the call holds: who has it, who takes it over, those it rings at, and the owner it is about to ring at. */
export const reservedAgentIds = (state: CallState): number[] => [
  ...agentSidesOf(state).map(({ agentId }) => agentId),
  ...offersOf(state).map(({ agentId }) => agentId),
  ...(state.phase === 'arriving' && state.next.kind === 'owner' ? [state.next.agentId] : []),
];

export const mediaNodeOf = (state: CallState): string | null =>
  'mediaNodeId' in state ? state.mediaNodeId : null;

/** The wait for an agent of a queue: of a caller whom nobody has, or of a call that is transferred. RING_ALL adds agents while it rings. */
export function waitOf(state: CallState): QueueWait | null {
  if (state.phase === 'waiting') return state.leaving ? null : state.wait;
  if (state.phase === 'offering' || state.phase === 'callback') return state.wait;
  return state.phase === 'talking' && state.transfer && !state.transfer.accepted ? state.transfer.wait : null;
}

/** The owner at whom this call rings as soon as another call releases them. */
export const awaitedOwnerOf = (state: CallState): number | null =>
  state.phase === 'awaiting-owner' ? state.agentId : null;

/** The skills an agent needs at this moment. */
export const skillsAskedFor = ({ skills, relaxed, relaxAt }: QueueWait, now: number): string[] =>
  relaxed || (relaxAt !== null && now >= relaxAt) ? [] : skills;

/** The queue in which the call waits for an agent: what dispatch looks at. */
export const queueOf = (state: CallState): QueueStop | null => waitOf(state)?.stops[0] ?? null;

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
