/**
 * Records which files are formatted, by a hash of their contents, so that all clones on this machine share the cache. Prettier's own
 * cache identifies files by their absolute paths.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir, inRoot } from '../paths.ts';
import type { Project } from './project-files.ts';

/** About ten versions of every file. */
const MAX_ENTRIES = 25_000;
const HASH_CHARACTERS = 16;
export interface HashedFile {
  path: string;
  hash: string;
}

const sha256 = (...parts: string[]) =>
  parts.reduce((hash, part) => hash.update(part).update('\0'), createHash('sha256')).digest('hex');

/** Each version and configuration of prettier has a separate cache. */
function cacheFile({ read }: Project): string {
  const { version } = JSON.parse(readFileSync(inRoot('node_modules/prettier/package.json'), 'utf8')) as {
    version: string;
  };
  const key = sha256(version, read('.prettierrc.json'), read('.prettierignore'));
  return join(cacheDir, `formatted-${key.slice(0, HASH_CHARACTERS)}`);
}

const readEntries = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];

/** The files whose current contents have not been checked yet. */
export function uncheckedFiles(project: Project, file = cacheFile(project)): HashedFile[] {
  const known = new Set(readEntries(file));
  return project.files
    .map((path) => ({ path, hash: sha256(path, project.read(path)).slice(0, HASH_CHARACTERS) }))
    .filter(({ hash }) => !known.has(hash));
}

/** Call this after prettier has accepted all of them. */
export function rememberFormatted(
  project: Project,
  files: readonly HashedFile[],
  file = cacheFile(project),
): void {
  const entries = new Set([...readEntries(file), ...files.map(({ hash }) => hash)]);
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, [...entries].slice(-MAX_ENTRIES).join('\n'));
  renameSync(temporary, file); // atomic, because another clone may read it concurrently
}
