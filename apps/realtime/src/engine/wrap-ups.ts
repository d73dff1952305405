/**
 * Ends wrap-ups. Those that end soon are read every second by one node (background/sweeps.ts), whose timers fire them to the millisecond. If
 * it dies, the next node reads them as well; the node whose update clears `wrapUpUntil` acts. If that one dies before it dispatches, the
 * periodic dispatch of waiting queues follows.
 */
import { clearWrapUp } from '@clarion/core/agent/wrap-up';
import { LONGEST_TURN_MS } from '@clarion/core/call-engine/sweep';
import type { Due } from '@clarion/core/call-engine/sweep';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { notifyAgentUpdated } from '../notify/notify-agent.ts';
import type { AgentNamespace } from '../sockets/types.ts';

/** How far ahead timers are set; longer than the interval between two reads of the cluster. */
export const WRAP_UP_HORIZON_MS = LONGEST_TURN_MS + 500;
/** Timers may fire a millisecond early. */
const TIMER_EARLY_MS = 2;

export class WrapUps {
  readonly #deps: Deps;
  readonly #engine: CallEngine;
  readonly #agents: AgentNamespace;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #closed = false;

  constructor(deps: Deps, engine: CallEngine, agents: AgentNamespace) {
    this.#deps = deps;
    this.#engine = engine;
    this.#agents = agents;
  }

  schedule(due: readonly Due[]): void {
    for (const { id, at } of due) this.#arm(id, at);
  }

  stop(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** One timer per agent: a later wrap-up is checked when the timer of the earlier one fires. */
  #arm(agentId: number, at: number): void {
    if (this.#closed || this.#timers.has(agentId)) return;
    const wait = Math.max(0, at - this.#deps.now().getTime()) + TIMER_EARLY_MS;
    this.#timers.set(
      agentId,
      setTimeout(() => void this.#fire(agentId), wait),
    );
  }

  async #fire(agentId: number): Promise<void> {
    this.#timers.delete(agentId);
    try {
      if (!(await clearWrapUp(this.#deps.db, agentId, this.#deps.now()))) return;
      await notifyAgentUpdated(this.#deps.db, this.#agents, agentId);
      await this.#engine.dispatchForAgent(agentId);
    } catch (error) {
      // `wrapUpUntil` is still set, or the periodic dispatch finds the agent.
      this.#deps.log.warn({ err: error, agentId }, 'failed to end a wrap-up');
    }
  }
}
