import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { say } from '../terminal/log.ts';
import { processIdentity } from './process-identity.ts';

const POLL_MS = 500;
const ANNOUNCE_AFTER_MS = 2_000;

/**
 * Runs `work` while holding the lock file `path`, one process at a time. A waiting process prints a message; `activity` completes
 * "waiting for another process that is …". The lock of a process that has exited can be acquired.
 */
export async function withLock<T>(path: string, activity: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const owner = `${process.pid} ${processIdentity(process.pid)}`;
  const since = Date.now();
  let announced = false;
  while (!acquire(path, owner)) {
    if (!announced && Date.now() - since > ANNOUNCE_AFTER_MS) {
      announced = true;
      say(`waiting for another process that is ${activity}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function acquire(path: string, owner: string): boolean {
  try {
    writeFileSync(path, owner, { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const [pid, identity] = read(path).split(' ');
  if (pid && processIdentity(Number(pid)) !== identity) rmSync(path, { force: true });
  return false;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // released in the meantime
  }
}
