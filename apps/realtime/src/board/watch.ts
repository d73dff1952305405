/**
 * One tenant's board while somebody on this node watches it: what has changed is gathered for a moment, read once and told. One
 * reading at a time, so that nothing older is told after something newer.
 */
import type { BoardAgent, BoardCall, QueueCounters, ServerMessages } from '@clarion/protocol/socket';

/** Changes of calls that come within this are told together. */
const CALLS_EVERY_MS = 100;
/** Queues and agents: at most four times a second. */
const FIGURES_EVERY_MS = 250;
/** They change by time alone too (a wrap-up that is over), which nobody announces. */
const FIGURES_REFRESH_MS = 5_000;
const RETRY_MS = 500;

type BoardMessage = 'board:call' | 'board:counters' | 'board:agents';

export interface WatchOptions {
  /** Undefined: all of them. */
  readCalls(callIds?: number[]): Promise<BoardCall[]>;
  readFigures(): Promise<{ queues: QueueCounters[]; agents: BoardAgent[] }>;
  tell<M extends BoardMessage>(message: M, payload: ServerMessages[M]): void;
  /** Whether anybody is left to tell. */
  isWatched(): boolean;
  onClosed(): void;
  onError(error: unknown): void;
}

export class Watch {
  readonly tenantId: number;
  readonly #options: WatchOptions;
  readonly #calls: Task;
  readonly #figures: Task;
  readonly #refresh: NodeJS.Timeout;
  /** Calls whose change has not been told yet. */
  #dirty = new Set<number>();
  #everything = false;
  /** Calls that somebody here may show. */
  readonly #shown = new Set<number>();
  /** As last told: when nothing has happened, nothing is said. */
  #toldQueues = '';
  readonly #toldAgents = new Map<number, string>();
  #asked = false;
  #all = false;

  constructor(tenantId: number, options: WatchOptions) {
    this.tenantId = tenantId;
    this.#options = options;
    const watched = (work: () => Promise<void>) => async () => {
      if (options.isWatched()) return work();
      void this.stop();
      options.onClosed();
    };
    this.#calls = new Task(
      watched(() => this.#tellCalls()),
      CALLS_EVERY_MS,
      options.onError,
    );
    this.#figures = new Task(
      watched(() => this.#tellFigures()),
      FIGURES_EVERY_MS,
      options.onError,
    );
    this.#refresh = setInterval(() => this.#figures.request(), FIGURES_REFRESH_MS);
  }

  /** A new subscriber has been shown these. */
  shown(calls: BoardCall[]): void {
    for (const { callId } of calls) this.#shown.add(callId);
  }

  /** These calls, and with them the figures of the queues; without calls the figures alone. */
  changed(callIds: number[]): void {
    for (const callId of callIds) this.#dirty.add(callId);
    if (callIds.length > 0) this.#calls.request();
    this.#asked = true;
    this.#figures.request();
  }

  /** Every figure and every agent once more: somebody may have been shown older ones. */
  again(): void {
    this.#all = true;
    this.changed([]);
  }

  refresh(): void {
    this.#everything = true;
    this.#calls.request();
    this.again();
  }

  async stop(): Promise<void> {
    clearInterval(this.#refresh);
    await Promise.all([this.#calls.stop(), this.#figures.stop()]);
  }

  async #tellCalls(): Promise<void> {
    const everything = this.#everything;
    const dirty = everything ? new Set([...this.#dirty, ...this.#shown]) : this.#dirty;
    this.#dirty = new Set();
    this.#everything = false;
    try {
      const calls = await this.#options.readCalls(everything ? undefined : [...dirty]);
      for (const call of calls) {
        dirty.delete(call.callId);
        this.#shown.add(call.callId);
        this.#options.tell('board:call', { call });
      }
      for (const callId of dirty) {
        this.#shown.delete(callId);
        this.#options.tell('board:call', { removed: callId });
      }
    } catch (error) {
      for (const callId of dirty) this.#dirty.add(callId);
      this.#everything ||= everything;
      throw error;
    }
  }

  async #tellFigures(): Promise<void> {
    const asked = this.#asked;
    const all = this.#all;
    this.#asked = false;
    this.#all = false;
    const { queues, agents } = await this.#options.readFigures().catch((error: unknown) => {
      this.#asked ||= asked;
      this.#all ||= all;
      throw error;
    });
    this.#tellAgents(agents, all);
    const said = JSON.stringify(queues);
    if (!asked && said === this.#toldQueues) return;
    this.#toldQueues = said;
    this.#options.tell('board:counters', { queues });
  }

  #tellAgents(agents: BoardAgent[], all: boolean): void {
    const here = new Set(agents.map(({ agentId }) => agentId));
    const removed = [...this.#toldAgents.keys()].filter((agentId) => !here.has(agentId));
    for (const agentId of removed) this.#toldAgents.delete(agentId);
    const changed = agents.filter((agent) => {
      const said = JSON.stringify(agent);
      const isNew = this.#toldAgents.get(agent.agentId) !== said;
      this.#toldAgents.set(agent.agentId, said);
      return all || isNew;
    });
    if (all || changed.length + removed.length > 0) {
      this.#options.tell('board:agents', { agents: changed, removed, complete: all });
    }
  }
}

/** Work that is done soon after it was asked for, at most once in `everyMs`, never twice at a time, and again after an error. */
class Task {
  readonly #work: () => Promise<void>;
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #again = false;
  #lastAt = -Infinity;
  #stopped = false;

  constructor(work: () => Promise<void>, everyMs: number, onError: (error: unknown) => void) {
    this.#work = work;
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  request(): void {
    if (this.#running) this.#again = true;
    else this.#arm(Math.max(0, this.#lastAt + this.#everyMs - performance.now()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
  }

  #arm(wait: number): void {
    if (this.#timer || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lastAt = performance.now();
      this.#running = this.#run();
    }, wait);
  }

  async #run(): Promise<void> {
    let failed = false;
    try {
      await this.#work();
    } catch (error) {
      failed = true;
      this.#onError(error);
    }
    this.#running = null;
    if (failed) this.#arm(RETRY_MS);
    else if (this.#again) this.request();
    this.#again = false;
  }
}
