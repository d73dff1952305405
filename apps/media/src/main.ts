/** The media process: reads the settings from the environment, logs one line when ready, and shuts down on SIGTERM. */
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
const stop = (signal: string): void => {
  if (stopping) return;
  stopping = true;
  log.info({ signal }, 'media stopping');
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
  void node.close().then(() => process.exit(0));
};
process.on('SIGTERM', () => stop('SIGTERM'));
process.on('SIGINT', () => stop('SIGINT'));
