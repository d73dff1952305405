/** A flow as one call walks it: part of the call's state. */
import type { QueueStop } from '../call/state.ts';

export interface FlowRun {
  ivrFlowId: number;
  /** Audio asset id → store key of its 8 kHz PCM, of every sound the flow names. */
  audio: Record<string, string>;
  /** Queue id → the queue and where it overflows to, of every queue the flow hands callers to. */
  queues: Record<string, QueueStop[]>;
  /** The node that has the caller, or that handed them on (its exit `overflow` takes them back). */
  nodeId: string;
  /** Times this node has played its prompt again. */
  replays: number;
  /** Keys entered into this node so far. */
  digits: string;
  /** The prompt under way; null: it has ended, or there is none. */
  playId: string | null;
}
