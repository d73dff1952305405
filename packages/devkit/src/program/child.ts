/**
 * Runs a program so that it ends with the process that started it: `node child.ts [--parent-fd=<n>] <entry> [args…]`.
 * The parent holds the other end of a pipe on that file descriptor, standard input by default; see parent-watch.ts for what
 * happens when the pipe closes.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** Enough to load parent-watch.ts, which then only waits. */
const WATCH_MEMORY_MB = 32;

const [first = '', ...others] = process.argv.slice(2);
const [, given] = /^--parent-fd=(\d+)$/.exec(first) ?? [];
const [entry = '', ...args] = given === undefined ? [first, ...others] : others;
const path = resolve(entry);
process.argv.splice(1, process.argv.length, path, ...args);

const watch = new Worker(new URL('./parent-watch.ts', import.meta.url), {
  workerData: { fd: Number(given ?? 0) },
  resourceLimits: { maxOldGenerationSizeMb: WATCH_MEMORY_MB },
});
watch.unref();

await import(pathToFileURL(path).href);
