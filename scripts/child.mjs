/**
 * Runs one of our programs so that it ends with whoever started it: `node scripts/child.mjs <entry> [args…]`.
 * The parent holds the other end of our standard input; see parent-watch.mjs for what happens when that closes.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** It does nothing but wait. */
const WATCH_MEMORY_MB = 16;

const [entry, ...args] = process.argv.slice(2);
const path = resolve(entry);
process.argv.splice(1, process.argv.length, path, ...args);

const watch = new Worker(new URL('./parent-watch.mjs', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: WATCH_MEMORY_MB },
});
watch.unref();

await import(pathToFileURL(path).href);
