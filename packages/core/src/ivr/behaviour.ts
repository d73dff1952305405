/**
 * What a type of node does with a caller: from its data and where the caller stands to one move. The interpreter carries the move out;
 * a node knows no edge but whether an exit has one, no clock but `now`, and no call.
 */
import type { TargetType } from '@clarion/protocol/ivr/node';

/** Where the caller stands in the node. */
export interface Standing<Data> {
  data: Data;
  /** Times the prompt was played again. */
  replays: number;
  /** Keys entered here so far. */
  digits: string;
  /** Whether an edge leaves by this exit. */
  has: (exit: string) => boolean;
  now: number;
}

export type Move =
  /** Nothing changes. */
  | { kind: 'stay' }
  /** The prompt, from its beginning. Unless said otherwise nothing entered before counts any more. */
  | { kind: 'play'; audioFileId: number; again?: boolean }
  /** Silence: the prompt is over, or a key has stopped it. `onTimeOver` follows in so many seconds. */
  | { kind: 'listen'; seconds: number; digits?: string }
  /** By the edge of this exit; without one the flow ends. */
  | { kind: 'leave'; exit: string }
  /** `skills`: of the queue's members who may have the call. */
  | { kind: 'hand-over'; to: { type: TargetType; id: number; skills: string[] } }
  /** The call was handed over, nobody took it, and the node has no way on. */
  | { kind: 'not-taken' }
  | { kind: 'hang-up'; because: 'HANGUP' | 'NO_INPUT' };

export interface Behaviour<Data> {
  enter: (at: Standing<Data>) => Move;
  /** While the prompt plays or after it. */
  onKey: (at: Standing<Data>, key: string) => Move;
  /** `played` false: the sound could not be had. */
  onPromptEnded: (at: Standing<Data>, played: boolean) => Move;
  /** The time of a `listen` is over. */
  onTimeOver: (at: Standing<Data>) => Move;
  /** Whom the call was handed to did not take it. */
  onOverflow: (at: Standing<Data>) => Move;
}

export const stay: Move = { kind: 'stay' };

/** A node that needs less than every method takes the others from here. */
export const quiet = {
  onKey: () => stay,
  onPromptEnded: () => stay,
  onTimeOver: () => stay,
  onOverflow: () => stay,
};
