import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { createSocket } from 'node:dgram';

/**
 * Below the ephemeral ports (from 32768 on Linux), so that a port that is chosen now is still free when it is bound a minute later;
 * above 10080, the last port that fetch blocks (Fetch standard, port blocking).
 */
const FIRST_PORT = 10_081;
const LAST_PORT = 19_999;
/** Concurrent test files choose from disjoint ports: each of vitest's workers uses every eighth block. */
const WORKERS = 8;
/** Adjacent ports are of one block. */
const BLOCK_PORTS = 32;
/** Ports that this process has chosen or was told to use, which may not be bound yet. */
const reserved = new Set<number>();

/** `freePort` does not return it from now on. */
export function reservePort(port: number): void {
  reserved.add(port);
}

/** A port that is free now for TCP and UDP and that nobody in this process has reserved. It is reserved from now on. */
export const freePort = (host?: string): Promise<number> => freePorts(1, host);

/** The first of `count` adjacent ports, at most 32, like the one of `freePort`. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number> {
  const choices = LAST_PORT + 2 - count - FIRST_PORT;
  const start = randomInt(choices);
  for (let tried = 0; tried < choices; tried += 1) {
    const first = FIRST_PORT + ((start + tried) % choices);
    const ports = Array.from({ length: count }, (_, at) => first + at);
    const isOneBlock = blockOf(first) === blockOf(first + count - 1);
    if (!isOneBlock || !isOfThisWorker(first) || ports.some((port) => reserved.has(port))) continue;
    for (const port of ports) reservePort(port);
    const free = await Promise.all(
      ports.map(async (port) => (await isPortFree(port, host)) && (await isUdpPortFree(port, host))),
    );
    if (!free.includes(false)) return first;
  }
  throw new Error(`no free port, or ${count} adjacent ones, between ${FIRST_PORT} and ${LAST_PORT}`);
}

const blockOf = (port: number): number => Math.floor(port / BLOCK_PORTS);

function isOfThisWorker(port: number): boolean {
  const worker = process.env['VITEST_POOL_ID'];
  return worker === undefined || blockOf(port) % WORKERS === Number(worker) % WORKERS;
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
