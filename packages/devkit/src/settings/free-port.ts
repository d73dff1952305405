import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { createSocket } from 'node:dgram';

/**
 * Below the ephemeral ports (from 32768 on Linux), so that a port that is chosen now is still free when it is bound a minute later;
 * above 10080, the last port that fetch blocks (Fetch standard, port blocking).
 */
const FIRST_PORT = 10_081;
const LAST_PORT = 19_999;
const TRIES = 1_000;
/** Concurrent test files choose from disjoint ports: each of vitest's workers uses every eighth one. */
const WORKERS = 8;
/** Ports that this process has chosen or was told to use, which may not be bound yet. */
const reserved = new Set<number>();

/** `freePort` does not return it from now on. */
export function reservePort(port: number): void {
  reserved.add(port);
}

/** A port that is free now for TCP and UDP and that nobody in this process has reserved. It is reserved from now on. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (reserved.has(port) || !isOfThisWorker(port)) continue;
    reservePort(port);
    if ((await isPortFree(port, host)) && (await isUdpPortFree(port, host))) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT}`);
}

function isOfThisWorker(port: number): boolean {
  const worker = process.env['VITEST_POOL_ID'];
  return worker === undefined || port % WORKERS === Number(worker) % WORKERS;
}

/** Whether a TCP server could listen on the port now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** Whether a UDP socket could be bound to the port now. */
export function isUdpPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind(port, host, () => socket.close(() => resolve(true)));
  });
}
