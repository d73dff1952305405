/**
 * Work that periodic rounds start and do not wait for: a slow one must not delay the next round. Each task runs once at a time: the next round
 * finds what is left.
 */
import type { Logger } from 'pino';

export class PeriodicWork {
  readonly #log: Logger;
  /** What is still being done, by name. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** No effect while the task is still running. A failure is logged. */
  start(task: string, work: () => Promise<void>): void {
    if (this.#running.has(task)) return;
    const run = work()
      .catch((error: unknown) => this.#log.warn({ err: error, task }, 'periodic task failed'))
      .finally(() => this.#running.delete(task));
    this.#running.set(task, run);
  }

  /** Resolves when nothing is running, including what running tasks have started. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
}
