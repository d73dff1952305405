import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homedir } from 'node:os';

/** The root of the repository, wherever the command was called. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export const inRoot = (...parts) => join(root, ...parts);

/** Node 24 from the npm package `node`, whatever the machine has. */
export const node24 = inRoot('node_modules/.bin/node');

/** Things that are slow to make and worth sharing between clones. */
export const cacheDir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'clarion');
