/** A flow as of the beginning of a call, and the state of the call's IVR session. Times are milliseconds since the epoch. */
import type { IvrStructure } from '@clarion/protocol/ivr/structure';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';

/** The flow with everything that it refers to, as of the beginning of the call: stored once next to the call's state, and never changed. */
export interface Flow {
  ivrFlowId: number;
  structure: IvrStructure;
  /** Audio asset ID → store key of its 8 kHz PCM and its duration, for every asset in the flow. */
  audio: Record<string, { file: string; seconds: number }>;
  /** Queue ID → the queue and its overflow chain, for every queue to which the flow transfers callers. */
  queues: Record<string, OverflowHop[]>;
  /** The line's own queue, which receives the caller when the flow ends; empty: the line has none. */
  lineQueue: OverflowHop[];
}

/** The session's state: part of the call's state. */
export interface FlowRun {
  ivrFlowId: number;
  /** The current node, or the one that transferred the caller (they may return through its exit `overflow`). */
  nodeId: string;
  /** How often this node has repeated its prompt. */
  replays: number;
  /** Keys pressed in this node so far. */
  digits: string;
  /** The prompt being played; null: it has ended, or there is none. */
  playId: string | null;
  /** The session ends at this time at the latest. */
  endsAt: number;
  /** The caller's wait in queues and for agents to whom the flow transferred them before; null: none yet. */
  waited: Waited | null;
}

/** `since`: entry into the first queue; null: it was in none. */
export interface Waited {
  since: number | null;
  declined: number[];
  missed: Record<string, number>;
}

/** A caller who has been in a flow for this long is not making choices any more (for example, the phone was left off the hook). */
export const MAX_FLOW_MS = 60 * 60 * 1000;

/** @throws for a structure without a start, which the checks rule out */
export function newFlowRun(
  { ivrFlowId, structure }: Pick<Flow, 'ivrFlowId' | 'structure'>,
  now: number,
): FlowRun {
  const start = structure.nodes.find(({ type }) => type === 'ivr_start');
  if (!start) throw new Error(`flow ${ivrFlowId} has no start`);
  return {
    ivrFlowId,
    nodeId: start.id,
    replays: 0,
    digits: '',
    playId: null,
    endsAt: now + MAX_FLOW_MS,
    waited: null,
  };
}
