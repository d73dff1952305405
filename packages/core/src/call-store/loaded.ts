/** What a step reads: the call, its live state, its tenant, and the agents whom the step may change. */
import type { Agent, Call } from '@clarion/db';

/** An agent's row as loaded. A step commits its change only if the row is still this version. */
export interface LoadedAgent extends Pick<
  Agent,
  | 'id'
  | 'ref'
  | 'name'
  | 'role'
  | 'doNotDisturb'
  | 'wakeable'
  | 'shift'
  | 'currentCallId'
  | 'onCall'
  | 'idleSince'
  | 'consecutiveMissed'
  | 'wrapUpUntil'
  | 'deletedAt'
  | 'createdAt'
> {
  rowVersion: string;
  /** The devices of the agent's connected apps. */
  deviceIds: string[];
}

export interface LoadedTenant {
  ref: string;
  /** As stored. */
  settings: unknown;
  rowVersion: string;
}

/** What a step that begins a call reads. */
export interface LoadedBeginning {
  callId: number;
  tenant: LoadedTenant;
  agents: LoadedAgent[];
  /** As in LoadedStep, for the agents. */
  remembered?: true;
}

export interface LoadedStep {
  call: Call;
  callRowVersion: string;
  tenant: LoadedTenant;
  agents: LoadedAgent[];
  live: {
    state: unknown;
    flow: unknown;
    version: number;
    mediaNodeId: string | null;
    lastEventAt: Date | null;
  };
  /** These rows are not loaded but remembered by this process: the step is committed only if none of them has changed. */
  remembered?: true;
}
