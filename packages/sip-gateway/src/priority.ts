/** The priority of this process, as far as it may be changed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import process from 'node:process';
import type { Log } from './log.ts';

const NICE = constants.priority.PRIORITY_ABOVE_NORMAL;

/** A refusal must not wait for a core behind the calls that cause it: the carrier would repeat its INVITE. */
export function raisePriority(log: Log): void {
  try {
    setPriority(NICE);
    // Linux groups the processes of each session, and a nice value counts only within its group (sched(7), autogroup). A group that another
    // process leads contains processes that are not ours.
    if (process.platform === 'linux' && leadsSession()) writeFileSync('/proc/self/autogroup', String(NICE));
  } catch (error) {
    log.debug({ err: String(error) }, 'failed to raise the process priority');
  }
}

/** The sixth field of proc_pid_stat(5). The second one, the name in parentheses, may contain anything. */
function leadsSession(): boolean {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]) === process.pid;
}
