/**
 * The behaviour of a node type: from its data and the caller's state in the node to one move, which the interpreter carries out. A node
 * sees no edges except whether an exit has one, no clock except `now`, and no call.
 */
import type { TargetType } from '@clarion/protocol/ivr/node';

/** The caller's state in the node. */
export interface NodeState<Data> {
  data: Data;
  /** How often the prompt was repeated. */
  replays: number;
  /** Keys pressed in this node so far. */
  digits: string;
  /** Whether an edge leaves from this exit. */
  has: (exit: string) => boolean;
  now: number;
}

export type Move =
  /** Nothing changes. */
  | { kind: 'stay' }
  /** Plays the prompt from its beginning. Keys pressed before are discarded. */
  | { kind: 'play'; audioFileId: number; again?: boolean }
  /** Listens in silence: the prompt has ended, or a key has stopped it. `onTimeOver` follows after this many seconds. */
  | { kind: 'listen'; seconds: number; digits?: string }
  /** Follows the edge of this exit; without one the flow ends. */
  | { kind: 'leave'; exit: string }
  /** `skills`: required of the queue's members. */
  | { kind: 'hand-over'; to: { type: TargetType; id: number; skills: string[] } }
  /** No agent answered the transferred call, and the node has no exit for that. */
  | { kind: 'not-taken' }
  | { kind: 'hang-up'; because: 'HANGUP' | 'NO_INPUT' };

export interface Behaviour<Data> {
  enter: (at: NodeState<Data>) => Move;
  /** During the prompt or after it. */
  onKey: (at: NodeState<Data>, key: string) => Move;
  /** `played` false: the audio was not available. */
  onPromptEnded: (at: NodeState<Data>, played: boolean) => Move;
  /** The time of a `listen` has passed. */
  onTimeOver: (at: NodeState<Data>) => Move;
  /** The agent or queue to which the call was transferred did not answer. */
  onOverflow: (at: NodeState<Data>) => Move;
}

export const stay: Move = { kind: 'stay' };

/** Defaults for the methods that a node does not need. */
export const quiet = {
  onKey: () => stay,
  onPromptEnded: () => stay,
  onTimeOver: () => stay,
  onOverflow: () => stay,
};
