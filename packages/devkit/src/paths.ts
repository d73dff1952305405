import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The root of the repository, independent of the current directory. */
export const root = resolve(import.meta.dirname, '../../..');

export const inRoot = (...parts: string[]): string => join(root, ...parts);

/** Node 24 from the npm package `node`, whichever version is installed on the machine. */
export const node24 = inRoot('node_modules/.bin/node');

/** Cached results that are slow to produce and are shared between clones. */
export const cacheDir = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'clarion');
