/** The gateway as a process: settings from the environment, one JSON line when ready, clean exit on SIGTERM. */
import process from 'node:process';
import { readEnv } from './env.ts';
import { startSipGateway } from './index.ts';
import { jsonLog } from './log.ts';
import { raisePriority } from './priority.ts';

const { options, logLevel } = readEnv();
// If the reader of the log exits, calls continue.
process.stdout.on('error', () => undefined);
const write = (line: string): void => void process.stdout.write(line);
const log = jsonLog(logLevel, write);
raisePriority(log);
const gateway = await startSipGateway({ ...options, log });
let stopping = false;
const stop = (signal: string): void => {
  if (stopping) return;
  stopping = true;
  log.info({ signal }, 'sip gateway stopping');
  gateway.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on('SIGTERM', () => stop('SIGTERM'));
process.on('SIGINT', () => stop('SIGINT'));

const ready = {
  sipPort: gateway.sipPort,
  tlsPort: gateway.tlsPort ?? null,
  controlPort: gateway.controlPort,
  bind: options.bind,
  pid: process.pid,
};
write(`${JSON.stringify({ level: 'info', time: Date.now(), ...ready, msg: 'sip gateway ready' })}\n`);
