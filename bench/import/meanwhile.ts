/** How long small requests take, sent at a fixed rate whatever the server does, so that a server that stalls is not spared. */

/** 1,000 a minute, of the 1,200 that a key may send. */
const EVERY_MS = 60;

export interface Requests {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** @returns a function that ends the requests and reports them; it throws if one of them has failed */
export function requestsTo(origin: string, path: string, key: string): () => Promise<Requests> {
  const took: number[] = [];
  const pending = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const one = async (dueAt: number): Promise<void> => {
    const answer = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
    took.push(performance.now() - dueAt);
  };
  const timer = setInterval(() => {
    const request = one(performance.now())
      .catch((error: unknown) => failures.push(error))
      .finally(() => pending.delete(request));
    pending.add(request);
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} requests failed`);
    took.sort((a, b) => a - b);
    const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
    return { count: took.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: took.at(-1) ?? 0 };
  };
}
