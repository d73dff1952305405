/** A flow as one call walks it: part of the call's state. Times are milliseconds since the epoch. */
import type { QueueStop } from '../call/state.ts';

export interface FlowRun {
  ivrFlowId: number;
  /** Audio asset id → store key of its 8 kHz PCM and its length, of every sound the flow names. */
  audio: Record<string, { file: string; seconds: number }>;
  /** Queue id → the queue and where it overflows to, of every queue the flow hands callers to. */
  queues: Record<string, QueueStop[]>;
  /** The line's own queue, where the caller goes when the flow ends; empty: the line has none. */
  lineQueue: QueueStop[];
  /** The node that has the caller, or that handed them on (its exit `overflow` takes them back). */
  nodeId: string;
  /** Times this node has played its prompt again. */
  replays: number;
  /** Keys entered into this node so far. */
  digits: string;
  /** The prompt under way; null: it has ended, or there is none. */
  playId: string | null;
  /** Whatever the flow says, it has ended by then. */
  endsAt: number;
  /** When media took the last key down, by its own clock: tells a repeat from the same key pressed again. */
  keyAt: number | null;
  /** What the call brings along from queues and agents it was handed to before; null: none yet. */
  waited: Waited | null;
}

/** `since`: entry into the first queue; null: it was in none. */
export interface Waited {
  since: number | null;
  declined: number[];
  missed: Record<string, number>;
}

export const newFlowRun = (
  flow: Pick<FlowRun, 'ivrFlowId' | 'audio' | 'queues' | 'lineQueue'> & { startNodeId: string },
  now: number,
): FlowRun => ({
  ivrFlowId: flow.ivrFlowId,
  audio: flow.audio,
  queues: flow.queues,
  lineQueue: flow.lineQueue,
  nodeId: flow.startNodeId,
  replays: 0,
  digits: '',
  playId: null,
  endsAt: now + MAX_FLOW_MS,
  keyAt: null,
  waited: null,
});

/** A caller who went round in a flow for this long is not choosing any more (a phone left off the hook). */
export const MAX_FLOW_MS = 60 * 60 * 1000;
