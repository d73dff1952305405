/** Sends a fixed number of concurrent requests for a fixed time on kept-alive connections, and reports their number and speed. */
import { Pool } from 'undici';
import { usageOf } from '../calls/processes.ts';

export interface Shot {
  method: 'GET' | 'PUT' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Measured {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of the server per request. Other programs on the machine affect it least. */
  cpuMicros: number;
}

/** @throws if a response is not 2xx; `pid` is the server's process */
export async function load(
  origin: string,
  next: () => Shot,
  { pid, connections, ms }: { pid: number; connections: number; ms: number },
): Promise<Measured> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const took: number[] = [];
  const cpuSeconds = () => usageOf({ server: pid })['server']?.cpuSeconds ?? 0;
  const cpuBefore = cpuSeconds();
  const startedAt = performance.now();
  const endAt = startedAt + ms;
  const one = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const sentAt = performance.now();
      const { statusCode, body } = await pool.request(next());
      const text = await body.text();
      if (statusCode >= 300) throw new Error(`answered ${statusCode}: ${text.slice(0, 300)}`);
      took.push(performance.now() - sentAt);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, one));
  } finally {
    await pool.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMicros = ((cpuSeconds() - cpuBefore) * 1e6) / took.length;
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return { perSecond: took.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), cpuMicros };
}
