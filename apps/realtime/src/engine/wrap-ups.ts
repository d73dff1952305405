/**
 * Ends wrap-ups. As with deadlines, those that end soon are read every second and timers fire them to the millisecond. Every node does so
 * for all agents; the node whose update clears `wrapUpUntil` acts. If it dies before it dispatches, the periodic dispatch of all waiting
 * queues follows within a second.
 */
import { clearWrapUp, wrapUpsEndingBy } from '@clarion/core/agent/wrap-up';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { notifyAgentUpdated } from '../notify/notify-agent.ts';
import type { AgentNamespace } from '../sockets/types.ts';

/** How far ahead timers are set; longer than the interval between two reads. */
const HORIZON_MS = 1_500;
/** Timers may fire a millisecond early. */
const TIMER_EARLY_MS = 2;
const MAX_WRAP_UPS_PER_READ = 1_000;

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

  async scheduleNear(): Promise<void> {
    const { db, now } = this.#deps;
    const until = new Date(now().getTime() + HORIZON_MS);
    for (const { agentId, at } of await wrapUpsEndingBy(db, until, MAX_WRAP_UPS_PER_READ))
      this.#arm(agentId, at.getTime());
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
