/**
 * What was read from the database, cached in memory and evicted when the database notifies a change (triggers and `listen`).
 *
 * A row that was read before a change and arrives after it must not be cached: each eviction begins a new generation, and a row that
 * was requested in an older generation serves its own requests only. When LISTEN is down, nothing cached is trusted.
 */

/** The cache is cleared when it holds this many entries. */
const MAX_ENTRIES = 10_000;

export interface NotifiedCache<T> {
  /** The cached value, or what `load` finds; concurrent requests share one load. */
  get(key: string, load: () => Promise<T>): Promise<T>;
  /** The cached value; undefined: it has to be loaded. */
  peek(key: string): T | undefined;
  evict(matches: (value: T, key: string) => boolean): void;
}

export interface NotifiedCacheOptions {
  /** Whether notifications of changes are being received: `Listener.isCurrent`. */
  isCurrent: () => boolean;
  /** The longest time that a value is cached, in case a change is not notified. */
  maxAgeMs: number;
}

export function createNotifiedCache<T>({ isCurrent, maxAgeMs }: NotifiedCacheOptions): NotifiedCache<T> {
  /** `until` is a time of `performance.now`. */
  const cached = new Map<string, { value: T; until: number }>();
  const loading = new Map<string, { generation: number; value: Promise<T> }>();
  let generation = 0;

  /** Requests that arrive during a load wait for it, unless something was evicted since it began. */
  async function loadOnce(key: string, load: () => Promise<T>): Promise<T> {
    const running = loading.get(key);
    if (running?.generation === generation) return running.value;
    const began = { generation, value: load() };
    loading.set(key, began);
    try {
      const value = await began.value;
      if (began.generation === generation && isCurrent()) {
        if (cached.size >= MAX_ENTRIES) cached.clear();
        cached.set(key, { value, until: performance.now() + maxAgeMs });
      }
      return value;
    } finally {
      if (loading.get(key) === began) loading.delete(key);
    }
  }

  const valid = (key: string) => {
    const found = cached.get(key);
    return found && found.until > performance.now() && isCurrent() ? found : undefined;
  };

  return {
    async get(key, load) {
      const found = valid(key);
      return found ? found.value : loadOnce(key, load);
    },
    peek: (key) => valid(key)?.value,
    evict(matches) {
      generation += 1;
      for (const [key, { value }] of cached) if (matches(value, key)) cached.delete(key);
    },
  };
}
