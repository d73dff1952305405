/**
 * One tenant's board while a socket on this node watches it. Changes are coalesced, read once and sent. Reads do not overlap, so that no
 * older state is sent after a newer one.
 */
import type { BoardAgent, BoardCall, QueueCounters, ServerMessages } from '@clarion/protocol/socket';

/** Changes of calls within this time are sent together. */
const CALLS_EVERY_MS = 100;
/** Queues and agents: at most four times a second. */
const FIGURES_EVERY_MS = 250;
/** They also change with time (a wrap-up ends), without a notification. */
const FIGURES_REFRESH_MS = 5_000;
const RETRY_MS = 500;

type BoardMessage = 'board:call' | 'board:counters' | 'board:agents';

export interface WatchOptions {
  /** Undefined: all of them. */
  readCalls(callIds?: number[]): Promise<BoardCall[]>;
  readFigures(): Promise<{ queues: QueueCounters[]; agents: BoardAgent[] }>;
  send<M extends BoardMessage>(message: M, payload: ServerMessages[M]): void;
  /** Whether a socket still watches. */
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
  /** Calls whose change has not been sent yet. */
  #dirty = new Set<number>();
  #allCallsChanged = false;
  /** Calls that a page or app on this node may show. */
  readonly #shown = new Set<number>();
  /** As last sent: unchanged figures are not sent again. */
  #sentQueues = '';
  readonly #sentAgents = new Map<number, string>();
  #figuresRequested = false;
  #resendAll = false;

  constructor(tenantId: number, options: WatchOptions) {
    this.tenantId = tenantId;
    this.#options = options;
    const watched = (work: () => Promise<void>) => async () => {
      if (options.isWatched()) return work();
      void this.stop();
      options.onClosed();
    };
    this.#calls = new Task(
      watched(() => this.#sendCalls()),
      CALLS_EVERY_MS,
      options.onError,
    );
    this.#figures = new Task(
      watched(() => this.#sendFigures()),
      FIGURES_EVERY_MS,
      options.onError,
    );
    this.#refresh = setInterval(() => this.#figures.request(), FIGURES_REFRESH_MS);
  }

  /** A new subscriber has received these. */
  shown(calls: BoardCall[]): void {
    for (const { callId } of calls) this.#shown.add(callId);
  }

  /** These calls and the figures of the queues changed; without calls, only the figures. */
  changed(callIds: number[]): void {
    for (const callId of callIds) this.#dirty.add(callId);
    if (callIds.length > 0) this.#calls.request();
    this.#figuresRequested = true;
    this.#figures.request();
  }

  /** Sends all figures and agents again: a subscriber may have received older ones. */
  resendFigures(): void {
    this.#resendAll = true;
    this.changed([]);
  }

  refresh(): void {
    this.#allCallsChanged = true;
    this.#calls.request();
    this.resendFigures();
  }

  async stop(): Promise<void> {
    clearInterval(this.#refresh);
    await Promise.all([this.#calls.stop(), this.#figures.stop()]);
  }

  async #sendCalls(): Promise<void> {
    const allCalls = this.#allCallsChanged;
    const dirty = allCalls ? new Set([...this.#dirty, ...this.#shown]) : this.#dirty;
    this.#dirty = new Set();
    this.#allCallsChanged = false;
    try {
      const calls = await this.#options.readCalls(allCalls ? undefined : [...dirty]);
      for (const call of calls) {
        dirty.delete(call.callId);
        this.#shown.add(call.callId);
        this.#options.send('board:call', { call });
      }
      for (const callId of dirty) {
        this.#shown.delete(callId);
        this.#options.send('board:call', { removed: callId });
      }
    } catch (error) {
      for (const callId of dirty) this.#dirty.add(callId);
      this.#allCallsChanged ||= allCalls;
      throw error;
    }
  }

  async #sendFigures(): Promise<void> {
    const requested = this.#figuresRequested;
    const all = this.#resendAll;
    this.#figuresRequested = false;
    this.#resendAll = false;
    const { queues, agents } = await this.#options.readFigures().catch((error: unknown) => {
      this.#figuresRequested ||= requested;
      this.#resendAll ||= all;
      throw error;
    });
    this.#sendAgents(agents, all);
    const serialized = JSON.stringify(queues);
    if (!requested && serialized === this.#sentQueues) return;
    this.#sentQueues = serialized;
    this.#options.send('board:counters', { queues });
  }

  #sendAgents(agents: BoardAgent[], all: boolean): void {
    const here = new Set(agents.map(({ agentId }) => agentId));
    const removed = [...this.#sentAgents.keys()].filter((agentId) => !here.has(agentId));
    for (const agentId of removed) this.#sentAgents.delete(agentId);
    const changed = agents.filter((agent) => {
      const serialized = JSON.stringify(agent);
      const isNew = this.#sentAgents.get(agent.agentId) !== serialized;
      this.#sentAgents.set(agent.agentId, serialized);
      return all || isNew;
    });
    if (all || changed.length + removed.length > 0) {
      this.#options.send('board:agents', { agents: changed, removed, complete: all });
    }
  }
}

/** Work that runs soon after a request, at most once per `everyMs`, never concurrently, and again after an error. */
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
