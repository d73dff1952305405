/**
 * Process priorities, as far as they may be changed. Linux groups the processes of each session (sched(7), autogroup), and a nice value
 * counts only within its group. `npm start` and systemd start each service in a session of its own, so the group's value is changed as well.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Logger } from 'pino';

/**
 * Waiting for a core is delay that callers hear. Needs root, CAP_SYS_NICE or RLIMIT_NICE; without them the priority remains as it is.
 */
export function raisePriority(pid: number, log: Logger): void {
  try {
    changePriority(pid, constants.priority.PRIORITY_HIGH);
  } catch (error) {
    log.debug({ err: error, pid }, 'failed to raise the process priority');
  }
}

/** For work that may wait. The process must be in a session of its own, or it shares the priority of the one that started it. */
export function lowerPriority(): void {
  try {
    changePriority(process.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // A kernel without such groups: the nice value has been changed, and nothing else is needed.
  }
}

function changePriority(pid: number, nice: number): void {
  setPriority(pid, nice);
  // The group of another session contains processes that are not ours, such as those of a shell.
  if (process.platform === 'linux' && sessionOf(pid) === pid)
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
}

/** The sixth field of proc_pid_stat(5). The second one, the name in parentheses, may contain anything. */
function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}
