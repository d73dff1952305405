/**
 * What a step asks for. The first group is history: the engine writes it in the step's own transaction. The second
 * is stored in that transaction and run after it (engine/outbox.ts), at least once, so each of them may be repeated.
 */
import type { CallEventType, CallStatus, LeaveReason, LegState, WithdrawReason } from '@clarion/protocol';
import type { Route } from '@clarion/protocol/media';
import type { Outcome } from './outcome.ts';
import type { DialPlan } from './state.ts';

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
  endedAt?: number;
  outcome?: Outcome;
}

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
  /** `who: 'ALL'` closes every open participation. */
  | { kind: 'leave'; who: 'ALL' | { agentId: number }; reason: LeaveReason }
  | {
      kind: 'leg';
      leg: 'AGENT' | 'CUSTOMER';
      state: LegState;
      agentId?: number;
      deviceId?: string;
      stats?: Record<string, unknown>;
    }
  /**
   * reserve: takes the agent for this call or fails the whole step (AgentTaken). engage: rings no longer, talks.
   * free: lets go, answered: also clears the count of missed offers, missed: lets go and counts.
   */
  | { kind: 'agent'; agentId: number; change: 'reserve' | 'engage' | 'answered' | 'free' | 'missed' };

/** What an agent's apps are told; the words are made from the rows when it is sent. */
export type AgentMessage =
  | { message: 'incoming'; expiresAt: number }
  | { message: 'withdrawn'; reason: WithdrawReason; exceptDeviceId?: string }
  | { message: 'updated' }
  | { message: 'ended' }
  /** The agent's own state: availability changed. */
  | { message: 'agent' };

export type MediaOrder =
  | { command: 'carrier:dial'; legId: string; dial: DialPlan; ringTimeoutMs: number }
  | { command: 'carrier:answer'; legId: string }
  | { command: 'leg:hangup'; legId: string }
  | { command: 'leg:dtmf'; legId: string; digits: string }
  | { command: 'call:route'; revision: number; route: Route }
  | { command: 'call:release'; status?: number };

export type OutsideEffect =
  | { kind: 'tell'; agentId: number; what: AgentMessage }
  | { kind: 'media'; mediaNodeId: string; order: MediaOrder }
  /** A call waits there, or an agent of it may be free. */
  | { kind: 'dispatch'; queueId: number }
  | { kind: 'dispatch-agent'; agentId: number };

export type Effect = HistoryEffect | OutsideEffect;

export const isOutside = (effect: Effect): effect is OutsideEffect =>
  effect.kind === 'tell' ||
  effect.kind === 'media' ||
  effect.kind === 'dispatch' ||
  effect.kind === 'dispatch-agent';
