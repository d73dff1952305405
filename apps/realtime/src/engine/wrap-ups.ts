/**
 * The ends of wrap-ups. As with deadlines, those that are near are read every second and timers fire them to the millisecond; every node
 * does so for all agents, and the one that takes the mark away is the one that acts. What a node that dies has taken and not
 * dispatched, the round over all waiting queues finds within a second.
 */
import { passWrapUp, wrapUpsEndingBy } from '@clarion/core/agent/wrap-up';
import type { AgentNamespace, Deps } from '../deps.ts';
import { tellAgent } from '../agents/tell.ts';
import type { Engine } from './runner.ts';

/** How far ahead timers are set; longer than the pause between two looks. */
const HORIZON_MS = 1_500;
/** Timers may fire a millisecond early. */
const TIMER_EARLY_MS = 2;
const MAX_WRAP_UPS_PER_LOOK = 1_000;

export class WrapUps {
  readonly #deps: Deps;
  readonly #engine: Engine;
  readonly #agents: AgentNamespace;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #closed = false;

  constructor(deps: Deps, engine: Engine, agents: AgentNamespace) {
    this.#deps = deps;
    this.#engine = engine;
    this.#agents = agents;
  }

  async look(): Promise<void> {
    const { db, now } = this.#deps;
    const until = new Date(now().getTime() + HORIZON_MS);
    for (const { agentId, at } of await wrapUpsEndingBy(db, until, MAX_WRAP_UPS_PER_LOOK))
      this.#arm(agentId, at.getTime());
  }

  stop(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** One timer an agent: a wrap-up that begins anew is looked at when the old one's time has come. */
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
      if (!(await passWrapUp(this.#deps.db, agentId, this.#deps.now()))) return;
      await tellAgent(this.#deps.db, this.#agents, agentId);
      await this.#engine.dispatchForAgent(agentId);
    } catch (error) {
      // The mark is still there, or the round over all queues finds the agent.
      this.#deps.log.warn({ err: error, agentId }, 'failed to process the end of a wrap-up');
    }
  }
}
