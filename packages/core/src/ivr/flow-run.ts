/** A flow as a call found it, and one call's walk through it. Times are milliseconds since the epoch. */
import type { IvrStructure } from '@clarion/protocol/ivr/structure';
import type { QueueStop } from '../queue-routing/queue-stop.ts';

/** The flow as it was when the call came, with all it names: kept once beside the call's state, and never changed. */
export interface Flow {
  ivrFlowId: number;
  structure: IvrStructure;
  /** Audio asset id → store key of its 8 kHz PCM and its length, of every sound the flow names. */
  audio: Record<string, { file: string; seconds: number }>;
  /** Queue id → the queue and where it overflows to, of every queue the flow hands callers to. */
  queues: Record<string, QueueStop[]>;
  /** The line's own queue, where the caller goes when the flow ends; empty: the line has none. */
  lineQueue: QueueStop[];
}

/** The walk: part of the call's state. */
export interface FlowRun {
  ivrFlowId: number;
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
  /** What the call brings along from queues and agents it was handed to before; null: none yet. */
  waited: Waited | null;
}

/** `since`: entry into the first queue; null: it was in none. */
export interface Waited {
  since: number | null;
  declined: number[];
  missed: Record<string, number>;
}

/** A caller who went round in a flow for this long is not choosing any more (a phone left off the hook). */
export const MAX_FLOW_MS = 60 * 60 * 1000;

/** @throws for a structure without a start, which no checked flow is */
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
