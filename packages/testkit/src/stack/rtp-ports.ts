import { randomInt } from 'node:crypto';

/** Far from the ports of a running copy (40000-40999). */
const FIRST_PORT = 20_000;
const PORTS_PER_WORKER = 2_400;
const WORKERS = 8;

/**
 * `count` RTP ports that no test file running at the same time uses: each vitest worker has ports of its own. They vary from call to
 * call, so that late packets of one test do not reach the next.
 */
export function rtpPortRange(count: number): { first: number; last: number } {
  const worker = Number(process.env.VITEST_POOL_ID ?? randomInt(WORKERS)) % WORKERS;
  const first =
    FIRST_PORT + worker * PORTS_PER_WORKER + count * randomInt(Math.floor(PORTS_PER_WORKER / count));
  return { first, last: first + count - 1 };
}
