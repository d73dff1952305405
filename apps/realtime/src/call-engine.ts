/** What the other modules use of the call engine; `engine/runner.ts` implements it. */
import type { Pending } from '@clarion/core/call-engine/commit';
import type { Stepped } from '@clarion/core/call-engine/step-call';
import type { CallEvent } from '@clarion/core/call-machine/event';

export interface CallEngine {
  /**
   * Applies an event to a call and starts the effects of the committed step.
   *
   * @param at when the event happened; by default now
   * @throws AgentTaken; a database error
   */
  step(callId: number, event: CallEvent, at?: Date): Promise<Stepped>;
  /** The same for a verb that steps a call in a transaction of its own; `work` must leave the effects to the engine. */
  carryOut<S extends Stepped>(event: CallEvent['type'], work: () => Promise<S>): Promise<S>;
  /** Runs the effects of a committed step in the background. */
  run(pending: Pending | null): void;
  /** Runs stored effects that no process is running, or those of one row; not what this node could not run a moment ago. */
  runStored(onlyId?: bigint): Promise<void>;
  /** To be called when a media node has connected: effects that this node could not run are tried again by the next sweep. */
  mediaConnected(): void;
  /**
   * Offers a queue's waiting calls to its idle agents. If it shares agents with other queues, their older calls come first. Concurrent
   * requests for one queue are coalesced.
   */
  dispatch(queueId: number): Promise<void>;
  /** How many calls that began to wait in a queue have not been dispatched yet, without those whose dispatch hangs. */
  readonly undispatched: number;
  /** Called whenever `undispatched` has become lower. */
  onDispatched: () => void;
  /** Callers of the agent's personal line first, because no other agent can answer them; then every queue of the agent. */
  dispatchForAgent(agentId: number): Promise<void>;
}
