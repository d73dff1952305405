/**
 * One tenant's board while somebody on this node watches it: what has changed is gathered for a moment, read once and told. One
 * reading at a time, so that nothing older is told after something newer.
 */
import type { BoardCall, QueueCounters, ServerMessages } from '@clarion/protocol/socket';

/** Changes of calls that come within this are told together. */
const CALLS_EVERY_MS = 100;
/** At most four times a second. */
const COUNTERS_EVERY_MS = 250;
/** Figures change by time alone too (a wrap-up that is over), which nobody announces. */
const COUNTERS_REFRESH_MS = 5_000;
const RETRY_MS = 500;

export interface WatchOptions {
  /** Undefined: all of them. */
  readCalls(callIds?: number[]): Promise<BoardCall[]>;
  readCounters(): Promise<QueueCounters[]>;
  tellCall(change: ServerMessages['board:call']): void;
  tellCounters(queues: QueueCounters[]): void;
  /** Whether anybody is left to tell. */
  isWatched(): boolean;
  onClosed(): void;
  onError(error: unknown): void;
}

export class Watch {
  readonly tenantId: number;
  readonly #options: WatchOptions;
  readonly #calls: Task;
  readonly #counters: Task;
  readonly #refresh: NodeJS.Timeout;
  /** Calls whose change has not been told yet. */
  #dirty = new Set<number>();
  #everything = false;
  /** Calls that somebody here may show. */
  readonly #shown = new Set<number>();
  /** As last told: when nothing has happened, nothing is said. */
  #told = '';
  #asked = false;

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
    this.#counters = new Task(
      watched(() => this.#tellCounters()),
      COUNTERS_EVERY_MS,
      options.onError,
    );
    this.#refresh = setInterval(() => this.#counters.request(), COUNTERS_REFRESH_MS);
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
    this.#counters.request();
  }

  refresh(): void {
    this.#everything = true;
    this.#calls.request();
    this.changed([]);
  }

  async stop(): Promise<void> {
    clearInterval(this.#refresh);
    await Promise.all([this.#calls.stop(), this.#counters.stop()]);
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
        this.#options.tellCall({ call });
      }
      for (const callId of dirty) {
        this.#shown.delete(callId);
        this.#options.tellCall({ removed: callId });
      }
    } catch (error) {
      for (const callId of dirty) this.#dirty.add(callId);
      this.#everything ||= everything;
      throw error;
    }
  }

  async #tellCounters(): Promise<void> {
    const asked = this.#asked;
    this.#asked = false;
    const queues = await this.#options.readCounters().catch((error: unknown) => {
      this.#asked ||= asked;
      throw error;
    });
    const said = JSON.stringify(queues);
    if (!asked && said === this.#told) return;
    this.#told = said;
    this.#options.tellCounters(queues);
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
