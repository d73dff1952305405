/** How long small requests take, sent at a fixed rate whatever the server does, so that a server that stalls is not spared. */

const EVERY_MS = 25;

export interface Requests {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** @returns a function that ends the requests and reports them */
export function requestsTo(origin: string, path: string, key: string): () => Promise<Requests> {
  const took: number[] = [];
  const pending = new Set<Promise<void>>();
  const one = async (dueAt: number): Promise<void> => {
    const answer = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } });
    await answer.text();
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    took.push(performance.now() - dueAt);
  };
  const timer = setInterval(() => {
    const request = one(performance.now()).finally(() => pending.delete(request));
    pending.add(request);
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
    took.sort((a, b) => a - b);
    const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
    return { count: took.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: took.at(-1) ?? 0 };
  };
}
