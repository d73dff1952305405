/** The realtime process: agents' sockets and the call engine, until SIGTERM or SIGINT. */
import { pino } from 'pino';
import { readEnv } from './env.ts';
import { startRealtime } from './server.ts';

const env = readEnv();
const log = pino({ level: env.logLevel, base: { app: 'realtime' } });
const realtime = await startRealtime(env, log);
log.info({ port: realtime.port, nodeId: realtime.nodeId }, 'realtime ready');

let stopping = false;
async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info({ reason }, 'realtime stopping');
  await realtime.stop();
}
process.on('SIGTERM', () => void stop('SIGTERM'));
process.on('SIGINT', () => void stop('SIGINT'));
