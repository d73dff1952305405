/** Audio goes first: what a packet waits for a core is delay that people hear. */
import { constants, setPriority } from 'node:os';
import type { Logger } from 'pino';

/**
 * Raises a process before others of the machine, where that is allowed (root, CAP_SYS_NICE, or RLIMIT_NICE); elsewhere it stays as it is.
 */
export function raisePriority(pid: number, log: Logger): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGH);
  } catch (error) {
    log.debug({ err: error, pid }, 'failed to change the process priority');
  }
}
