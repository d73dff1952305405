/**
 * A thread of child.ts that waits for the parent process to stop or be killed. Then the program is sent SIGTERM, and SIGKILL when it
 * does not exit.
 *
 * It is a thread because the main one may hang at that very moment: pino writes synchronously, and retries for ever when nobody reads
 * the pipe any more. So standard output and error are redirected to /dev/null first.
 */
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';

const STOP_TIMEOUT_MS = 10_000;

const { fd } = workerData as { fd: number };
const parent = new Socket({ fd });
parent.on('error', () => undefined); // `close` follows
parent.once('close', () => {
  openSync('/dev/null', 'r'); // occupies the descriptor that has just been closed, so that the next two are 1 and 2
  for (const output of [1, 2]) {
    closeSync(output);
    openSync('/dev/null', 'w');
  }
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_TIMEOUT_MS);
  process.kill(process.pid, 'SIGTERM');
});
parent.resume();
