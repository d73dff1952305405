/**
 * Authenticated credentials, cached in memory and evicted when the database notifies a change.
 *
 * A row that was read before a change and arrives after it must not be cached: each eviction begins a new generation, and a row that
 * was requested in an older generation serves its own requests only. When LISTEN is down, cached credentials are not trusted.
 */

/** The longest time that a credential is cached, in case a notification is missed. */
const CACHE_MS = 5_000;
/** The cache is cleared when it holds this many credentials. */
const MAX_ENTRIES = 10_000;

export interface CredentialCache<T> {
  /** The cached credential, or what `load` finds; concurrent requests share one load. */
  get(key: string, load: () => Promise<T>): Promise<T>;
  evict(matches: (credential: T) => boolean): void;
}

export function createCredentialCache<T extends object>(isCurrent: () => boolean): CredentialCache<T> {
  /** `until` is a time of `performance.now`. */
  const cached = new Map<string, { credential: T; until: number }>();
  const loading = new Map<string, { generation: number; credential: Promise<T> }>();
  let generation = 0;

  /** Requests that arrive during a load wait for it, unless something was evicted since it began. */
  async function loadOnce(key: string, load: () => Promise<T>): Promise<T> {
    const running = loading.get(key);
    if (running?.generation === generation) return running.credential;
    const began = { generation, credential: load() };
    loading.set(key, began);
    try {
      const credential = await began.credential;
      if (began.generation === generation && isCurrent()) {
        if (cached.size >= MAX_ENTRIES) cached.clear();
        cached.set(key, { credential, until: performance.now() + CACHE_MS });
      }
      return credential;
    } finally {
      if (loading.get(key) === began) loading.delete(key);
    }
  }

  return {
    async get(key, load) {
      const found = cached.get(key);
      if (found && found.until > performance.now() && isCurrent()) return found.credential;
      return loadOnce(key, load);
    },
    evict(matches) {
      generation += 1;
      for (const [key, { credential }] of cached) if (matches(credential)) cached.delete(key);
    },
  };
}
