/**
 * What a step asks for. The first group is history: the engine writes it in the step's own transaction. The second
 * is stored in that transaction and run after it (call-engine/outbox.ts), at least once, so each of them may be repeated.
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

/** Names in the lifecycle log: `events` of the call detail. */
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

/** Columns of the call's row that change. Times are milliseconds since the epoch. */
export interface CallPatch {
  status?: CallStatus;
  /** Null takes back an agent who did not get the call after all. */
  agentId?: number | null;
  queueId?: number;
  /** It moved to its queue's overflow queue. */
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
 * declined: they declined the call. missed: they did not answer, which counts for auto-offline. failed: they accepted and
 * their audio failed, which does not count.
 */
export type ReleaseReason = 'free' | 'talked' | 'declined' | 'missed' | 'failed';

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
  /** `who: 'ALL'` closes every open participation; a monitor is known by its leg, an agent's own part by the agent. */
  | { kind: 'leave'; who: 'ALL' | { agentId: number } | { legId: string }; reason: LeaveReason }
  | {
      kind: 'leg';
      leg: 'AGENT' | 'CUSTOMER' | 'MONITOR';
      state: LegState;
      agentId?: number;
      deviceId?: string;
      /** Media's name of the leg, where one may follow another or several are there: the row is the latest one's. */
      legId?: string;
      stats?: Record<string, unknown>;
    }
  /**
   * reserve: takes the agent for this call or fails the whole step (AgentTaken). engage: rings no longer, talks.
   * answered: also clears the count of missed offers. `wrapUpSeconds` goes with `talked`: queues offer the agent no calls for
   * so long.
   */
  | {
      kind: 'agent';
      agentId: number;
      change: 'reserve' | 'engage' | 'answered' | ReleaseReason;
      wrapUpSeconds?: number;
    }
  /** The call's IVR session: one is open at a time. */
  | { kind: 'ivr'; change: 'begin'; ivrFlowId: number }
  | { kind: 'ivr'; change: 'input'; nodeName: string; input: string }
  | { kind: 'ivr'; change: 'end'; completed: boolean; outcome: IvrOutcome }
  /** The call's transfer record: one is open at a time. */
  | { kind: 'transfer'; change: 'begin'; fromAgentId: number; to: Transfer['to'] }
  | { kind: 'transfer'; change: 'accepted'; agentId: number }
  /** The recording's row; where its file will lie is decided here. */
  | { kind: 'recording'; change: 'begin' };

/** What somebody who monitors is told: it is over, or goes on in another mode because the tenant's modes have changed. */
export type MonitorNotice =
  | { message: 'monitor-ended'; reason: MonitorEndReason }
  | { message: 'monitor-updated'; mode: MonitoringMode };
/** To the device that monitors; `monitorId` is its leg. */
export type MonitorMessage = { deviceId: string; monitorId: string } & MonitorNotice;

/** What an agent's apps are told; the words are made from the rows when it is sent. */
export type AgentMessage =
  | { message: 'incoming'; expiresAt: number }
  | { message: 'withdrawn'; reason: WithdrawReason; exceptDeviceId?: string }
  | { message: 'updated' }
  | { message: 'ended' }
  /** The call goes on without this agent: transferred. */
  | { message: 'left' }
  | MonitorMessage
  /** The agent's own state: availability changed. */
  | { message: 'agent' };

export type MediaOrder =
  | { command: 'carrier:dial'; legId: string; dial: DialPlan; ringTimeoutMs: number }
  | { command: 'carrier:answer'; legId: string }
  | { command: 'leg:hangup'; legId: string }
  | { command: 'leg:dtmf'; legId: string; digits: string }
  /** `record`: what of it is recorded; where it is put is looked up when the order is sent. */
  | { command: 'call:route'; revision: number; route: Route; record: RecordPlan | null }
  | { command: 'call:release'; status?: number };

export type OutsideEffect =
  | { kind: 'notify-agent'; agentId: number; what: AgentMessage }
  /** Somebody who listens from the dashboard. */
  | { kind: 'notify-session'; sessionId: number; what: MonitorMessage }
  | { kind: 'media'; mediaNodeId: string; order: MediaOrder }
  /** A call waits there, or an agent of it may be free. */
  | { kind: 'dispatch'; queueId: number }
  | { kind: 'dispatch-agent'; agentId: number }
  /** Asks the consumer's lookup hook about the caller; comes back as `looked-up`. */
  | { kind: 'lookup' }
  /** A flow, or the caller of a personal line, wants this agent: reserved and offered the call, else `agent-unavailable` comes back. */
  | { kind: 'ring-agent'; agentId: number }
  /** The caller has hung up to be called back: the call that does so is created once. */
  | { kind: 'call-back'; wait: QueueWait }
  /** Where the caller stands in this queue is looked up, to be told them; comes back as `announced`. */
  | { kind: 'announce'; playId: string; queueId: number }
  /** The supervisors' board shows the call as it is now; added to every step when it is committed. */
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
