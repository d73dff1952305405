/** One interval for all subscribers with the same period. It runs only while there are subscribers. */
interface Ticker {
  subscribe(listener: () => void): () => void;
  /** The time of the last tick, in milliseconds. */
  now(): number;
}

const tickers = new Map<number, Ticker>();

export function every(intervalMs: number): Ticker {
  const known = tickers.get(intervalMs);
  if (known !== undefined) return known;
  const made = createTicker(intervalMs);
  tickers.set(intervalMs, made);
  return made;
}

function createTicker(intervalMs: number): Ticker {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let last = Date.now();
  const tick = () => {
    last = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    subscribe(listener) {
      if (listeners.size === 0) {
        last = Date.now();
        timer = setInterval(tick, intervalMs);
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearInterval(timer);
      };
    },
    now: () => {
      // Without subscribers it is not updated. Within one render it must not change.
      if (listeners.size === 0 && Date.now() - last > intervalMs) last = Date.now();
      return last;
    },
  };
}
