import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Fields of /proc/<pid>/stat after the program's name: the process's start time is the 20th (proc(5)). */
const START_TIME_FIELD = 19;

/** What tells a process from a later one with the same pid: when it started. Undefined when there is none. */
export function processIdentity(pid) {
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
