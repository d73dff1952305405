/** What can happen to a call. Events may be repeated, late or in any order; one that does not fit the state changes nothing. */
import type { FailureCode, MonitoringMode } from '@clarion/protocol';
import type { LegEnd, MediaCommand } from '@clarion/protocol/media';
import type { Monitor } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';

/** ANSWERED: with a 2xx status, possibly without content. */
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
  /** These agents were reserved, by a queue's dispatch or (null) for a call that requested one of them. They are now rung. */
  | {
      type: 'offer';
      queueId: number | null;
      agentIds: number[];
      /** Those of them who have no socket, whose devices are woken by push notifications; absent: none. */
      wakeIds?: number[];
      ringTimeoutSeconds: number;
    }
  /** The queue in which the call waits was deleted, so no agent will ever answer it there. */
  | { type: 'queue-gone'; queueId: number }
  /** `mediaNodeId` and `maxCallSeconds` (as for `start`) are set for a callback, which has no media node yet. */
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
  /** The response of the lookup hook. `name`, `externalRef` and `reject` are absent if it contained none or did not arrive in time. */
  | {
      type: 'looked-up';
      result: LookupResult;
      name: string | null;
      externalRef: string | null;
      reject: boolean;
    }
  /** The agent requested by a flow or by the caller of a personal line cannot be rung. `onCall`: because they are on a call. */
  | { type: 'agent-unavailable'; agentId: number; onCall: boolean }
  /** The agent transfers the call. The target agent has been reserved in the same transaction. */
  | {
      type: 'transfer';
      agentId: number;
      to:
        | { kind: 'agent'; agentId: number; ringTimeoutSeconds: number }
        | { kind: 'queue'; stops: OverflowHop[] };
    }
  | { type: 'transfer-cancel'; agentId: number }
  | { type: 'monitor-start'; monitor: Omit<Monitor, 'connected' | 'connectBy' | 'lostAt'> }
  | { type: 'monitor-mode'; legId: string; mode: MonitoringMode }
  /** `reason`: why, if the agent did not choose to. */
  | { type: 'monitor-stop'; legId: string; reason?: 'NOT_ALLOWED' }
  /** The monitoring modes that the tenant allows now. */
  | { type: 'monitor-modes'; allowed: MonitoringMode[] }
  | { type: 'record-pause'; agentId: number; paused: boolean }
  /** The account that pays for the call has no credit left. */
  | { type: 'credit-exhausted' }
  /** A device of the agent resumes the call: after a reload, on a new network, or another device. */
  | { type: 'resume'; agentId: number; deviceId: string; legId: string }
  /** The agent's last socket disconnected, or the first one reconnected. */
  | { type: 'agent-gone'; agentId: number }
  | { type: 'agent-back'; agentId: number }
  /** The agent was deleted or the tenant suspended. The agent cannot return. */
  | { type: 'agent-removed'; agentId: number }
  | { type: 'terminate' }
  /** A stored deadline may have passed. */
  | { type: 'tick' }
  /** `trunkId`: the trunk of the dial plan that carries the call. */
  | { type: 'leg-ringing'; legId: string; trunkId?: number }
  /**
   * `agent`: media has answered this leg, the customer's, because that leg of an agent is connected (`agent:connect`). `answered`: of an agent's
   * leg; media has sent the customer a 200 for it, whose ACK is late.
   */
  | {
      type: 'leg-connected';
      legId: string;
      codec: string;
      trunkId?: number;
      agent?: { legId: string; codec: string };
      answered?: true;
    }
  | { type: 'leg-interrupted'; legId: string }
  | { type: 'leg-restored'; legId: string }
  | { type: 'leg-ended'; legId: string; end: LegEnd; stats: Record<string, unknown> | null }
  /** `at`: media's clock, in milliseconds. A repetition has the same value. */
  | { type: 'leg-dtmf'; legId: string; digit: string; at: number }
  /** The caller's position for an announcement (effect `announce`). `position` 1: next. `waitSeconds` null: no estimate. */
  | { type: 'announced'; playId: string; position: number; waitSeconds: number | null }
  | { type: 'leg-played'; legId: string; playId: string; played: boolean }
  /** Media rejected a command permanently. `reason` absent: the service failed. */
  | {
      type: 'command-failed';
      command: MediaCommand;
      legId: string | null;
      message: string;
      reason?: FailureCode;
    }
  /** The call's media node is gone, or restarted without the call. */
  | { type: 'media-lost'; mediaNodeId: string };
