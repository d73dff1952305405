/** Work per key of which only the latest request matters: requests during a run are coalesced into one further run. */
export class Coalesced<K> {
  readonly #work: (key: K) => Promise<void>;
  readonly #current = new Map<K, Promise<void>>();
  readonly #next = new Map<K, Promise<void>>();

  constructor(work: (key: K) => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when a run that began after this request has finished. */
  run(key: K): Promise<void> {
    // First, because the current run may have finished already and the next one not begun.
    const waiting = this.#next.get(key);
    if (waiting) return waiting;
    const current = this.#current.get(key);
    if (!current) return this.#start(key);
    const next = current
      .catch(() => undefined)
      .then(() => {
        this.#next.delete(key);
        return this.#start(key);
      });
    this.#next.set(key, next);
    return next;
  }

  #start(key: K): Promise<void> {
    const run = this.#work(key).finally(() => {
      if (this.#current.get(key) === run) this.#current.delete(key);
    });
    this.#current.set(key, run);
    return run;
  }
}
