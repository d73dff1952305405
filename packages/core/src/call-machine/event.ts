/** What can happen to a call. Events may come twice, late or in any order; one that no longer fits changes nothing. */
import type { MonitoringMode } from '@clarion/protocol';
import type { LegEnd, MediaCommand } from '@clarion/protocol/media';
import type { Monitor } from './state.ts';
import type { QueueStop } from '../queue-routing/queue-stop.ts';

/** ANSWERED: with 2xx, though perhaps with nothing in it. */
export type LookupResult = 'ANSWERED' | 'TIMEOUT' | 'FAILED';

export type CallEvent =
  /**
   * The agent's app starts the outbound intent. `legId` is new; `mediaNodeId` will carry the call. `maxCallSeconds`: its maximum duration;
   * absent: DEFAULT_MAX_CALL_SECONDS.
   */
  | {
      type: 'start';
      agentId: number;
      deviceId: string;
      legId: string;
      mediaNodeId: string;
      maxCallSeconds?: number;
    }
  /** These agents were reserved, by a queue's dispatch or (null) for a call that asked for one of them; the call rings at them. */
  | { type: 'offer'; queueId: number | null; agentIds: number[]; ringTimeoutSeconds: number }
  /** The queue in which it waits was deleted, though calls knew the way to it: nobody there will ever take it. */
  | { type: 'queue-gone'; queueId: number }
  /** `mediaNodeId` and `maxCallSeconds` (as for `start`): of a call back, which no media node carries yet. */
  | {
      type: 'accept';
      agentId: number;
      deviceId: string;
      legId: string;
      mediaNodeId?: string;
      maxCallSeconds?: number;
    }
  | { type: 'decline'; agentId: number }
  | { type: 'hangup'; agentId: number }
  | { type: 'mute'; agentId: number; muted: boolean }
  | { type: 'hold'; agentId: number; held: boolean }
  | { type: 'dtmf'; agentId: number; digits: string }
  /** What the lookup hook said; without `name`, `externalRef` and `reject` when it said nothing, or not in time. */
  | {
      type: 'looked-up';
      result: LookupResult;
      name: string | null;
      externalRef: string | null;
      reject: boolean;
    }
  /** The agent requested by a flow or by the caller of a personal line cannot be rung. `onCall`: because they are on a call. */
  | { type: 'agent-unavailable'; agentId: number; onCall: boolean }
  /** The holder hands the call on. An agent has been reserved in the same transaction. */
  | {
      type: 'transfer';
      agentId: number;
      to:
        | { kind: 'agent'; agentId: number; ringTimeoutSeconds: number }
        | { kind: 'queue'; stops: QueueStop[] };
    }
  | { type: 'transfer-cancel'; agentId: number }
  | { type: 'monitor-start'; monitor: Omit<Monitor, 'connected' | 'connectBy' | 'lostAt'> }
  | { type: 'monitor-mode'; legId: string; mode: MonitoringMode }
  /** `reason`: other than that they wanted to. */
  | { type: 'monitor-stop'; legId: string; reason?: 'NOT_ALLOWED' }
  /** The modes that the tenant allows now. */
  | { type: 'monitor-modes'; allowed: MonitoringMode[] }
  | { type: 'record-pause'; agentId: number; paused: boolean }
  /** An account that pays for the call has run out. */
  | { type: 'credit-exhausted' }
  /** A device of the agent takes the call (again): after a reload, on a new network, or another device. */
  | { type: 'resume'; agentId: number; deviceId: string; legId: string }
  /** The agent's last socket went, or the first came back. */
  | { type: 'agent-gone'; agentId: number }
  | { type: 'agent-back'; agentId: number }
  /** The agent was deleted or the tenant suspended: there is no coming back. */
  | { type: 'agent-removed'; agentId: number }
  | { type: 'terminate' }
  /** A stored deadline may have passed. */
  | { type: 'tick' }
  | { type: 'leg-ringing'; legId: string }
  | { type: 'leg-connected'; legId: string; codec: string }
  | { type: 'leg-interrupted'; legId: string }
  | { type: 'leg-restored'; legId: string }
  | { type: 'leg-ended'; legId: string; end: LegEnd; stats: Record<string, unknown> | null }
  /** `at`: media's clock, in milliseconds; the same in a repeat. */
  | { type: 'leg-dtmf'; legId: string; digit: string; at: number }
  /** Where a caller stands who is to be told (effect `announce`). `position` 1: next. `waitSeconds` null: nobody can say. */
  | { type: 'announced'; playId: string; position: number; waitSeconds: number | null }
  | { type: 'leg-played'; legId: string; playId: string; played: boolean }
  /** Media refused a command for good. */
  | { type: 'command-failed'; command: MediaCommand; legId: string | null; message: string }
  /** The media node that carries the call is gone, or came back without it. */
  | { type: 'media-lost'; mediaNodeId: string };
