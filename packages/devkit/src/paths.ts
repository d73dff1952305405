import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The root of the repository, whatever the current directory is. */
export const root = resolve(import.meta.dirname, '../../..');

export const inRoot = (...parts: string[]): string => join(root, ...parts);

/** Node 24 from the npm package `node`, whichever version is installed on the machine. */
export const node24 = inRoot('node_modules/.bin/node');

/** Results that take long to make and can be shared between clones. */
export const cacheDir = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'clarion');
