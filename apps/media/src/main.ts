/**
 * The media process: reads the settings from the environment and logs one line when ready. SIGTERM stops it, if so configured once its calls
 * have ended; SIGINT and a second SIGTERM stop it at once.
 */
import pino from 'pino';
import { readEnv } from './env.ts';
import { startMediaNode } from './media-node.ts';
import { raisePriority } from './priority.ts';

/** A shutdown that takes longer is aborted. */
const STOP_LIMIT_MS = 8_000;

const env = readEnv();
const log = pino({
  name: 'media',
  level: env.CLARION_LOG_LEVEL,
});
raisePriority(process.pid, log);
const node = await startMediaNode(env, log);
log.info({ port: node.port, bind: env.CLARION_BIND }, 'media ready');

let stopping = false;
const stop = (reason: string): void => {
  if (stopping) return;
  stopping = true;
  log.info({ reason }, 'media stopping');
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
  void node.close().then(() => process.exit(0));
};

const drainMs = env.CLARION_MEDIA_DRAIN_SECONDS * 1_000;
let draining = false;
process.on('SIGTERM', () => {
  if (stopping) return;
  if (drainMs === 0 || draining) return stop('SIGTERM');
  draining = true;
  void node.drain(drainMs).then((drained) => stop(drained ? 'drained' : 'the time for draining is over'));
});
process.on('SIGINT', () => stop('SIGINT'));
