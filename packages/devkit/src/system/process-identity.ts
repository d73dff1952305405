import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The start time is the 22nd field of /proc/<pid>/stat, the 20th after the name of the program (proc(5)). */
const START_TIME_FIELD = 19;

/** The start time of the process, which distinguishes it from a later one with the same pid. Undefined if it does not exist. */
export function processIdentity(pid: number): string | undefined {
  const stat = `/proc/${pid}/stat`;
  if (existsSync('/proc/self/stat')) {
    if (!existsSync(stat)) return undefined;
    const fields = readFileSync(stat, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[START_TIME_FIELD];
  }
  const { stdout, status } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
