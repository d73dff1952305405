/**
 * Runs one of our programs so that it ends with whoever started it: `node scripts/child.mjs <entry> [args…]`.
 * The parent holds the other end of our standard input; when that closes (the parent stopped, or was killed and could not
 * say so) the program is asked to stop, and made to when it does not.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const STOP_TIMEOUT_MS = 10_000;

const [entry, ...args] = process.argv.slice(2);
const path = resolve(entry);
process.argv.splice(1, process.argv.length, path, ...args);

process.stdin.resume();
process.stdin.on('error', () => undefined);
process.stdin.once('close', () => {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_TIMEOUT_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.stdin.unref?.();

await import(pathToFileURL(path).href);
