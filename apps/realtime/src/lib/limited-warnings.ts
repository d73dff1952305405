/** Rate-limited warnings for causes that need no authentication: one line per cause and minute, so that no client can fill the log. */
import type { Logger } from 'pino';

const WINDOW_MS = 60_000;

interface Window {
  /** Warnings since the last line, and the fields of the latest one. */
  count: number;
  fields: object;
}

export class LimitedWarnings {
  readonly #log: Logger;
  readonly #windows = new Map<string, Window>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The first warning is logged immediately; those of the following minute are logged as one, with their `count`. */
  warn(fields: object, message: string): void {
    const window = this.#windows.get(message);
    if (window) {
      window.count += 1;
      window.fields = fields;
      return;
    }
    this.#log.warn(fields, message);
    this.#open(message);
  }

  #open(message: string): void {
    this.#windows.set(message, { count: 0, fields: {} });
    setTimeout(() => this.#close(message), WINDOW_MS).unref();
  }

  #close(message: string): void {
    const window = this.#windows.get(message);
    this.#windows.delete(message);
    if (!window || window.count === 0) return;
    this.#log.warn({ ...window.fields, count: window.count }, message);
    this.#open(message);
  }
}
