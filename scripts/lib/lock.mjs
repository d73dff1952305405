import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { say } from './log.mjs';
import { processIdentity } from './process-identity.mjs';

const POLL_MS = 500;
const SAY_AFTER_MS = 2_000;

/**
 * One at a time per path, across processes; the others wait, and are told so. A lock whose owner is gone is taken over.
 *
 * @template T
 * @param {string} path of the lock's file
 * @param {string} what the owner does, as it ends "waiting for another process that is …"
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, what, work) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${process.pid} ${processIdentity(process.pid)}`;
  const since = Date.now();
  let told = false;
  while (!take(path, mine)) {
    if (!told && Date.now() - since > SAY_AFTER_MS) {
      told = true;
      say(`waiting for another process that is ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path, mine) {
  try {
    writeFileSync(path, mine, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const [pid, identity] = read(path).split(' ');
  if (pid && processIdentity(Number(pid)) !== identity) rmSync(path, { force: true });
  return false;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // given back meanwhile
  }
}
