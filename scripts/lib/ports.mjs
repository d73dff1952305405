import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { createSocket } from 'node:dgram';

/**
 * Below what the operating system gives to outgoing connections (from 32768 on Linux), so that a port which is chosen now
 * and used in a minute is still free then; above 10080, the last of those that fetch refuses to speak to (Fetch standard, port
 * blocking).
 */
const FIRST_PORT = 10_081;
const LAST_PORT = 19_999;
const TRIES = 1_000;
/** Test files that run at once choose from ports that never meet: each worker of vitest has every eighth one. */
const WORKERS = 8;
/** Chosen by this process, and perhaps not in use yet. */
const chosen = new Set();

/** A port that nobody uses at this moment, TCP or UDP, and that this process was not given before. */
export async function freePort(host = '127.0.0.1') {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (chosen.has(port) || !isOfThisWorker(port)) continue;
    chosen.add(port);
    if ((await isPortFree(port, host)) && (await isUdpPortFree(port, host))) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT}`);
}

function isOfThisWorker(port) {
  const worker = process.env.VITEST_POOL_ID;
  return worker === undefined || port % WORKERS === Number(worker) % WORKERS;
}

/** Whether a server may listen there now. */
export function isPortFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** The same for UDP. */
export function isUdpPortFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind(port, host, () => socket.close(() => resolve(true)));
  });
}
