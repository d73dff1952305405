import { randomInt } from 'node:crypto';

/** Far from the ports of a running copy (40000-40999). */
const FIRST_PORT = 20_000;
const PORTS_PER_WORKER = 2_400;
const WORKERS = 8;
/** The first ports of each worker, for the services that its files share. */
const SHARED_PORTS = 600;

export interface PortRange {
  first: number;
  last: number;
}

/** This vitest worker's ports for the services that its files share. */
export const sharedRtpPortRange = (): PortRange => range(firstOfWorker(), SHARED_PORTS);

/**
 * `count` RTP ports that no test file running at the same time uses: each vitest worker has ports of its own. They vary from call to
 * call, so that late packets of one test do not reach the next.
 */
export function rtpPortRange(count: number): PortRange {
  const choices = Math.floor((PORTS_PER_WORKER - SHARED_PORTS) / count);
  return range(firstOfWorker() + SHARED_PORTS + count * randomInt(choices), count);
}

function firstOfWorker(): number {
  const worker = Number(process.env.VITEST_POOL_ID ?? randomInt(WORKERS)) % WORKERS;
  return FIRST_PORT + worker * PORTS_PER_WORKER;
}

const range = (first: number, count: number): PortRange => ({ first, last: first + count - 1 });
