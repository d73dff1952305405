/** Everything that one step commits: the argument of the database's function `commit_step`. Moments are ISO 8601 text. */
import type {
  AssignmentType,
  CallStatus,
  LeaveReason,
  LegState,
  MediaPath,
  ShiftStatus,
  WithdrawReason,
} from '@clarion/protocol';
import type { Call } from '@clarion/db';
import type { FirstBlocks, FirstSeconds } from '../ledger/call-credit.ts';
import type { CallUsage } from '../rating/call-pricing.ts';

/** The columns of LiveCall that every step sets. */
export interface LiveColumns {
  state: object;
  /** Absent if the step records no event of the call. */
  lastEventAt?: Date;
  mediaNodeId: string | null;
  nextDeadlineAt: Date | null;
  waitingQueueId: number | null;
  waitingSince: Date | null;
  activeQueueId: number | null;
  awaitedOwnerId: number | null;
}

/** Those set once, when the call begins. */
export interface FirstLiveColumns {
  consumerId: number;
  tenantId: number;
  leaseNodeId: string | null;
  flow: object | null;
  /** Trunks with a limit of concurrent calls that the call may use; absent: none. */
  limitedTrunkIds?: readonly number[];
}

/** The call's row to insert. Its other columns have their defaults, and are set by the same step's `patch`. */
export type NewCallRow = Pick<
  Call,
  | 'id'
  | 'consumerId'
  | 'tenantId'
  | 'direction'
  | 'status'
  | 'channelId'
  | 'channelRef'
  | 'channelType'
  | 'sipTrunkId'
  | 'queueId'
  | 'queueRef'
  | 'agentId'
  | 'agentRef'
  | 'customerAddress'
  | 'customerAddressType'
  | 'customerWithheld'
  | 'customerName'
  | 'externalRef'
  | 'consumerMetadata'
  | 'mediaPath'
  | 'inviteId'
  | 'callbackOf'
  | 'createdAt'
>;

/** Columns of the call's row to change; absent: unchanged. `agentRef` goes with `agentId`. */
export interface CallRowPatch {
  status?: CallStatus;
  /** The trunk that carries the call. It counts on no other trunk from now on. */
  sipTrunkId?: number;
  agentId?: number | null;
  agentRef?: string | null;
  queueId?: number;
  queueRef?: string;
  overflowed?: true;
  customerName?: string;
  externalRef?: string;
  mediaPath?: MediaPath;
  ringingAt?: Date;
  queuedAt?: Date;
  answeredAt?: Date;
  endedAt?: Date;
  terminationReason?: string;
  terminatedBy?: string;
  failureDetails?: object;
}

/** Rows around the call, in the order in which the step changes them. */
export type HistoryEntry =
  | {
      kind: 'join';
      participant: string;
      agentId?: number | null;
      agentRef?: string;
      deviceId?: string | null;
      listenerName?: string | null;
      legId?: string | null;
    }
  /** Without `legId` and `agentId`: everybody, and every leg. */
  | { kind: 'leave'; reason: LeaveReason; legId?: string; agentId?: number }
  | {
      kind: 'leg';
      type: 'AGENT' | 'CUSTOMER' | 'MONITOR';
      state: LegState;
      agentId?: number;
      deviceId?: string;
      legId?: string;
      stats?: object;
    }
  | { kind: 'ivr-begin'; ivrFlowId: number }
  | { kind: 'ivr-input'; nodeName: string; input: string }
  | { kind: 'ivr-end'; completed: boolean; outcome: string }
  | { kind: 'transfer-begin'; fromAgentId: number; toAgentId?: number; toQueueId?: number }
  | { kind: 'transfer-accepted'; agentId: number }
  | { kind: 'recording-begin'; storageKey: string; mediaNodeId: string | null };

export interface LifecycleEntry {
  type: string;
  agentId?: number;
  durationSeconds?: number;
  metadata?: object;
}

/** The agent's new values, committed only if the row is still `rowVersion`. */
export interface AgentRowChange {
  id: number;
  rowVersion: string;
  currentCallId: number | null;
  onCall: boolean;
  idleSince: Date;
  wrapUpUntil: Date | null;
  consecutiveMissed: number;
  shift: ShiftStatus;
  /** The agent's period of available time ends. */
  shiftEnds: boolean;
}

/** Push notifications to every device of an agent that they concern: see the database's function `record_pushes`. */
export type PushOrder = { agentId: number } & (
  | { kind: 'INCOMING'; assignmentType: AssignmentType; validMs: number }
  | { kind: 'WITHDRAWN'; reason: WithdrawReason; exceptDeviceId?: string }
  | { kind: 'MISSED' }
);

/** The rows from which a step was computed without loading them. */
export interface RememberedRows {
  /** Absent: the step begins the call. */
  callRowVersion?: string;
  tenantRowVersion?: string;
  agents: { id: number; rowVersion: string; deviceIds: string[] }[];
}

export interface StepDocument {
  callId: number;
  at: Date;
  /** Either the call's new row … */
  create?: NewCallRow;
  /** … or the version of the live call that was loaded. */
  version?: number;
  /** Absent: they were loaded for this step. */
  remembered?: RememberedRows;
  /** Of a call that begins: what its accounts reserve. */
  credit?: FirstBlocks;
  /** The customer has been connected: from then on the call is charged. */
  connected?: { at: Date; seconds: FirstSeconds };
  /** Absent: the call has ended. */
  live?: LiveColumns & Partial<FirstLiveColumns>;
  patch?: CallRowPatch;
  previousEventSequence: number;
  eventSequence: number;
  history?: HistoryEntry[];
  lifecycle: LifecycleEntry[];
  agents?: AgentRowChange[];
  /** See the database's function `record_events`. */
  events: object[];
  ended?: true;
  /** Of a call that ends: what prices it; absent: its state could not be read. */
  usage?: CallUsage;
  /** Push notifications to the devices of agents; absent: none. */
  pushes?: PushOrder[];
  effects: object[];
  /** For how long only this process may run the effects; absent: any realtime node may. */
  claimMs?: number;
}
