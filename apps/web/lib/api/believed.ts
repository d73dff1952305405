/**
 * What is known of a credential, kept in memory until the database says that it changed.
 *
 * A row that was read before a change and arrives after it must not be kept: each forgetting begins a new generation, and what
 * was asked for in an older one is used for its own request and no other. While the database cannot be heard, nothing that is
 * kept is believed.
 */

/** Kept no longer than this, for the change that nobody was told of. */
const BELIEVED_MS = 5_000;
/** More credentials in use at once than this and the cache starts over. */
const MAX_KEPT = 10_000;

export interface Believed<Known> {
  /** What is kept under the name; else what `load` finds, asked once for all who come meanwhile. */
  get(name: string, load: () => Promise<Known>): Promise<Known>;
  forget(which: (known: Known) => boolean): void;
}

export function createBelieved<Known extends object>(isCurrent: () => boolean): Believed<Known> {
  /** `until` is on the process's own clock. */
  const kept = new Map<string, { known: Known; until: number }>();
  const loading = new Map<string, { generation: number; known: Promise<Known> }>();
  let generation = 0;

  /** Requests that come while it is being looked up wait for that, unless something has changed since it began. */
  async function loadOnce(name: string, load: () => Promise<Known>): Promise<Known> {
    const running = loading.get(name);
    if (running?.generation === generation) return running.known;
    const began = { generation, known: load() };
    loading.set(name, began);
    try {
      const known = await began.known;
      if (began.generation === generation && isCurrent()) {
        if (kept.size >= MAX_KEPT) kept.clear();
        kept.set(name, { known, until: performance.now() + BELIEVED_MS });
      }
      return known;
    } finally {
      if (loading.get(name) === began) loading.delete(name);
    }
  }

  return {
    async get(name, load) {
      const found = kept.get(name);
      if (found && found.until > performance.now() && isCurrent()) return found.known;
      return loadOnce(name, load);
    },
    forget(which) {
      generation += 1;
      for (const [name, { known }] of kept) if (which(known)) kept.delete(name);
    },
  };
}
