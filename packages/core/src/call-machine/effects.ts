/**
 * The effects of a step. The first group is history: the engine writes it in the step's own transaction. The second group is stored in that
 * transaction and run after it (call-engine/outbox.ts), at least once, so each effect must be repeatable.
 */
import type {
  CallEventType,
  CallStatus,
  IvrOutcome,
  LeaveReason,
  LegState,
  MediaPath,
  MonitorEndReason,
  MonitoringMode,
  WithdrawReason,
} from '@clarion/protocol';
import type { RecordPlan, Route } from '@clarion/protocol/media';
import type { Outcome } from './outcome.ts';
import type { DialPlan, Monitor, QueueWait, Transfer } from './state.ts';

/** Names of entries in the lifecycle log: `events` of the call detail. */
export type LifecycleType =
  | 'CREATED'
  | 'STARTED'
  | 'DIALLING'
  | 'RINGING'
  | 'QUEUED'
  | 'OVERFLOWED'
  | 'OFFERED'
  | 'MISSED'
  | 'DECLINED'
  | 'ACCEPTED'
  | 'CONNECT_FAILED'
  | 'ANSWERED'
  | 'HELD'
  | 'UNHELD'
  | 'MUTED'
  | 'UNMUTED'
  | 'DTMF_SENT'
  | 'AGENT_LOST'
  | 'AGENT_BACK'
  | 'DEVICE_CHANGED'
  | 'LOOKED_UP'
  | 'IVR_STARTED'
  | 'IVR_ENDED'
  | 'CALLBACK_ASKED'
  | 'CALLBACK_REFUSED'
  | 'TRANSFER_STARTED'
  | 'TRANSFER_FAILED'
  | 'TRANSFERRED'
  | 'MONITOR_STARTED'
  | 'MONITOR_MODE'
  | 'MONITOR_STOPPED'
  | 'RECORDING_STARTED'
  | 'RECORDING_PAUSED'
  | 'RECORDING_RESUMED'
  | 'ENDED';

/** Columns of the call's row to change. Times are milliseconds since the epoch. */
export interface CallPatch {
  status?: CallStatus;
  /** The trunk that carries the call, among those of its dial plan. */
  sipTrunkId?: number;
  /** Null removes an agent who did not get the call after all. */
  agentId?: number | null;
  queueId?: number;
  /** The call moved to an overflow queue. */
  overflowed?: true;
  ringingAt?: number;
  queuedAt?: number;
  answeredAt?: number;
  customerName?: string;
  externalRef?: string;
  mediaPath?: MediaPath;
  endedAt?: number;
  outcome?: Outcome;
}

/**
 * Why a call releases an agent. free: the call no longer needs them (a colleague answered first, the caller hung up), and they keep
 * their place among the idle agents. Every other reason restarts their idle time. talked: their conversation is over.
 * declined: they declined the call. missed: they did not answer, which counts for auto-offline. unreached: no device of theirs was woken
 * in time, and failed: they accepted and their audio failed, which both do not count.
 */
export type ReleaseReason = 'free' | 'talked' | 'declined' | 'missed' | 'unreached' | 'failed';

export type HistoryEffect =
  | {
      kind: 'record';
      type: LifecycleType;
      agentId?: number;
      durationSeconds?: number;
      metadata?: Record<string, unknown>;
    }
  | { kind: 'patch'; patch: CallPatch }
  | { kind: 'publish'; event: CallEventType }
  | { kind: 'join'; who: 'CUSTOMER' }
  | { kind: 'join'; who: 'AGENT'; agentId: number; deviceId: string }
  | {
      kind: 'join';
      who: 'MONITOR';
      monitor: Pick<Monitor, 'kind' | 'agentId' | 'name' | 'deviceId' | 'legId'>;
    }
  /** `who: 'ALL'` closes every open participation. A monitor is identified by its leg, the call's agent by the agent. */
  | { kind: 'leave'; who: 'ALL' | { agentId: number } | { legId: string }; reason: LeaveReason }
  | {
      kind: 'leg';
      leg: 'AGENT' | 'CUSTOMER' | 'MONITOR';
      state: LegState;
      agentId?: number;
      deviceId?: string;
      /** Media's ID of the leg, for types of which there can be several. The row describes the latest one. */
      legId?: string;
      stats?: Record<string, unknown>;
    }
  /**
   * reserve: reserves the agent for this call or fails the whole step (AgentTaken). engage: the agent stops ringing and is on the call.
   * answered: also resets the count of missed offers. `wrapUpSeconds` goes with `talked`: for that long queues offer the agent no calls.
   */
  | {
      kind: 'agent';
      agentId: number;
      change: 'reserve' | 'engage' | 'answered' | ReleaseReason;
      wrapUpSeconds?: number;
    }
  /** The call's IVR session. At most one is open at a time. */
  | { kind: 'ivr'; change: 'begin'; ivrFlowId: number }
  | { kind: 'ivr'; change: 'input'; nodeName: string; input: string }
  | { kind: 'ivr'; change: 'end'; completed: boolean; outcome: IvrOutcome }
  /** The call's transfer record. At most one is open at a time. */
  | { kind: 'transfer'; change: 'begin'; fromAgentId: number; to: Transfer['to'] }
  | { kind: 'transfer'; change: 'accepted'; agentId: number }
  /** The recording's row. The location of its file is decided when it is written. */
  | { kind: 'recording'; change: 'begin' };

/** Messages to a monitor: monitoring has ended, or continues in another mode because the tenant's modes have changed. */
export type MonitorNotice =
  | { message: 'monitor-ended'; reason: MonitorEndReason }
  | { message: 'monitor-updated'; mode: MonitoringMode };
/** To the device that monitors. `monitorId` is its leg. */
export type MonitorMessage = { deviceId: string; monitorId: string } & MonitorNotice;

/** Messages to an agent's apps. Their content is read from the rows when they are sent. */
export type AgentMessage =
  /** `waking`: as in Offer. */
  | { message: 'incoming'; expiresAt: number; waking?: true }
  | { message: 'withdrawn'; reason: WithdrawReason; exceptDeviceId?: string }
  | { message: 'updated' }
  | { message: 'ended' }
  /** The call continues without this agent: it was transferred. */
  | { message: 'left' }
  | MonitorMessage
  /** The agent's own state, because their availability changed. */
  | { message: 'agent' };

export type CallMediaCommand =
  | { command: 'carrier:dial'; legId: string; dial: DialPlan; ringTimeoutMs: number }
  | { command: 'carrier:answer'; legId: string }
  | { command: 'leg:hangup'; legId: string }
  | { command: 'leg:dtmf'; legId: string; digits: string }
  /** `record`: what to record. The location is looked up when the command is sent. */
  | { command: 'call:route'; revision: number; route: Route; record: RecordPlan | null }
  | { command: 'call:release'; status?: number }
  /** The engine adds these two for a call on a WhatsApp line, when Meta answers our SDP offer and when the customer accepts the call. */
  | { command: 'whatsapp:remote'; legId: string; sdpAnswer: string }
  | { command: 'whatsapp:open'; legId: string };

export type OutsideEffect =
  | { kind: 'notify-agent'; agentId: number; what: AgentMessage }
  /** A monitor who listens from the dashboard. */
  | { kind: 'notify-session'; sessionId: number; what: MonitorMessage }
  | { kind: 'media'; mediaNodeId: string; order: CallMediaCommand }
  /** A call waits in the queue, or one of its agents may be idle. */
  | { kind: 'dispatch'; queueId: number }
  | { kind: 'dispatch-agent'; agentId: number }
  /** Queries the consumer's lookup hook about the caller. Its result returns as `looked-up`. */
  | { kind: 'lookup' }
  /**
   * A flow or the caller of a personal line requests this agent, who is reserved and offered the call; otherwise `agent-unavailable`
   * returns.
   */
  | { kind: 'ring-agent'; agentId: number }
  /** The caller has hung up to be called back. The call of the callback is created once. */
  | { kind: 'call-back'; wait: QueueWait }
  /** Looks up the caller's position in this queue for an announcement. The result returns as `announced`. */
  | { kind: 'announce'; playId: string; queueId: number }
  /** The live board shows the call as it is now. Added to every step when it is committed. */
  | { kind: 'board'; tenantId: number };

export type Effect = HistoryEffect | OutsideEffect;

const outsideKinds: Record<OutsideEffect['kind'], true> = {
  'notify-agent': true,
  'notify-session': true,
  media: true,
  dispatch: true,
  'dispatch-agent': true,
  lookup: true,
  'ring-agent': true,
  'call-back': true,
  announce: true,
  board: true,
};
export const isRelease = (change: Extract<Effect, { kind: 'agent' }>['change']): change is ReleaseReason =>
  change !== 'reserve' && change !== 'engage' && change !== 'answered';

export const isOutside = (effect: Effect): effect is OutsideEffect => effect.kind in outsideKinds;
