/**
 * A thread of child.ts that waits for the parent process to exit or be killed. It then sends the program SIGTERM, and SIGKILL if it does
 * not exit.
 *
 * It is a thread because the main thread may be blocked at that moment: pino writes synchronously and retries forever if no process reads
 * the pipe any more. Therefore standard output and error are redirected to /dev/null first.
 */
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';

const STOP_TIMEOUT_MS = 10_000;

const { fd } = workerData as { fd: number };
const parent = new Socket({ fd });
parent.on('error', () => undefined); // `close` follows
parent.once('close', () => {
  openSync('/dev/null', 'r'); // takes the descriptor that has just been closed, so that the next two are 1 and 2
  for (const output of [1, 2]) {
    closeSync(output);
    openSync('/dev/null', 'w');
  }
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_TIMEOUT_MS);
  process.kill(process.pid, 'SIGTERM');
});
parent.resume();
