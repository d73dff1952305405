/**
 * A thread of child.mjs that waits for our parent to go away (it stopped, or was killed and could not say so): then the
 * program is asked to stop, and made to when it does not.
 *
 * It is a thread because the main one may hang at that very moment: pino writes synchronously, and goes on trying for ever
 * when nobody is left to read. So standard output and error lead nowhere from then on.
 */
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';

const STOP_TIMEOUT_MS = 10_000;

const fromParent = new Socket({ fd: 0 });
fromParent.on('error', () => undefined); // `close` follows
fromParent.once('close', () => {
  openSync('/dev/null', 'r'); // takes the lowest number that is free: 0, which has just been closed
  for (const output of [1, 2]) {
    closeSync(output);
    openSync('/dev/null', 'w');
  }
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_TIMEOUT_MS);
  process.kill(process.pid, 'SIGTERM');
});
fromParent.resume();
