/** Runs rows concurrently, a few at a time. The test of a row awaits only that row. */
export class SideBySide<R> {
  readonly #played = new Map<R, Promise<void>>();

  constructor(rows: readonly R[], play: (row: R) => Promise<void>, atOnce: number) {
    const waiting = [...rows];
    const done = new Map(waiting.map((row) => [row, Promise.withResolvers<void>()]));
    for (const [row, { promise }] of done) {
      promise.catch(() => undefined); // reported by the row's own test
      this.#played.set(row, promise);
    }
    const lane = async () => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
        const { resolve, reject } = done.get(row) ?? Promise.withResolvers<void>();
        await play(row).then(resolve, reject);
      }
    };
    for (let count = 0; count < atOnce; count += 1) void lane();
  }

  of(row: R): Promise<void> {
    return this.#played.get(row) ?? Promise.reject(new Error('no such row'));
  }

  async all(): Promise<void> {
    await Promise.allSettled(this.#played.values());
  }
}

/** Rejects when `work` takes longer than a row may. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ms);
  const tooLate = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error(`not done within ${ms / 1000} s`)));
  });
  return Promise.race([work, tooLate]);
}
