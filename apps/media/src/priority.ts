/** Raises the process priority: waiting for a core is delay that callers hear. */
import { constants, setPriority } from 'node:os';
import type { Logger } from 'pino';

/**
 * Raises the priority of a process if that is permitted (root, CAP_SYS_NICE or RLIMIT_NICE); otherwise leaves it
 * unchanged.
 */
export function raisePriority(pid: number, log: Logger): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGH);
  } catch (error) {
    log.debug({ err: error, pid }, 'failed to change the process priority');
  }
}
