/**
 * The rows of live calls as this process's last step of each left them, so that the next step need not load them. They may be out of date at any
 * time: `commit_step` checks every row from which a step was computed, and on a conflict the step loads (step-call.ts).
 */
import { isInFlow } from '../call-machine/state.ts';
import { agentIdsNamedBy } from './agent-ids-in.ts';
import type { LoadedAgent, LoadedStep } from '../call-store/loaded.ts';
import { parseState } from './stored.ts';

/** About 10 kB each. A call that is forgotten is loaded at its next step. */
const MAX_CALLS = 2_000;
const MAX_AGENTS = 5_000;
/** A call that ended on another node would otherwise be kept until there are too many. */
const MAX_AGE_MS = 300_000;

interface Remembered {
  rows: LoadedStep;
  /** Of `performance.now`. */
  since: number;
}

export class StepMemory {
  readonly #maxCalls: number;
  readonly #clock: () => number;
  /** The oldest first. */
  readonly #calls = new Map<number, Remembered>();
  /** An agent who was released is usually offered the next call as they were left. The oldest first. */
  readonly #agents = new Map<number, LoadedAgent>();
  /** Media still reports the ends of their legs. The oldest first. */
  readonly #ended = new Set<number>();

  constructor(maxCalls: number = MAX_CALLS, clock: () => number = () => performance.now()) {
    this.#maxCalls = maxCalls;
    this.#clock = clock;
  }

  /** The call ended by a step of this process, which left these agents. It never becomes live again. */
  end(callId: number, agents: readonly LoadedAgent[]): void {
    this.#calls.delete(callId);
    this.#keepAgents(agents);
    this.#ended.add(callId);
    evictFirst(this.#ended, this.#maxCalls);
  }

  /** Those of these agents whom a step of this process left. */
  agentsAmong(ids: readonly number[]): LoadedAgent[] {
    return ids.flatMap((id) => this.#agents.get(id) ?? []);
  }

  #keepAgents(agents: readonly LoadedAgent[]): void {
    for (const agent of agents) {
      this.#agents.delete(agent.id);
      this.#agents.set(agent.id, agent);
    }
    evictFirst(this.#agents, MAX_AGENTS);
  }

  hasEnded(callId: number): boolean {
    return this.#ended.has(callId);
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Removes the call: of two concurrent steps, the second would conflict. */
  take(callId: number): LoadedStep | null {
    const remembered = this.#calls.get(callId);
    this.#calls.delete(callId);
    return remembered?.rows ?? null;
  }

  /** After a commit. Steps of one call may return here in another order than they were committed in. */
  keep(rows: LoadedStep): void {
    const { id } = rows.call;
    const other = this.#calls.get(id);
    if (other && other.rows.live.version > rows.live.version) return;
    this.#calls.delete(id);
    this.#keepAgents(rows.agents);
    if (!isComplete(rows)) return;
    this.#calls.set(id, { rows, since: this.#clock() });
    this.#evict();
  }

  #evict(): void {
    const oldest = this.#clock() - MAX_AGE_MS;
    for (const [id, { since }] of this.#calls) {
      if (since >= oldest && this.#calls.size <= this.#maxCalls) return;
      this.#calls.delete(id);
    }
  }
}

function evictFirst<T>(entries: Map<T, unknown> | Set<T>, most: number): void {
  for (const first of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(first);
  }
}

/** A step would leave an agent unchanged whose row it does not have. `load_step` finds those whom the state names, and the flow. */
function isComplete({ agents, live }: LoadedStep): boolean {
  const known = new Set(agents.map(({ id }) => id));
  const { state, flow } = live;
  return (
    agentIdsNamedBy(state).every((id) => known.has(id)) && (flow !== null || !isInFlow(parseState(state)))
  );
}
