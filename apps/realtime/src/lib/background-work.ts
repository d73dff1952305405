/** Work that is started and not waited for. Its failure is logged, and the process waits for it when it stops. */
import type { Logger } from 'pino';

export class BackgroundWork {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param fields of the log entry of a failure */
  start(what: string, fields: object, work: () => Promise<unknown>): void {
    const run = work()
      .then(() => undefined)
      .catch((error: unknown) => this.#log.error({ ...fields, err: error }, `failed to ${what}`))
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
