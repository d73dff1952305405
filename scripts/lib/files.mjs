import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, root } from './paths.mjs';

const NOT_OURS = new Set(['node_modules', '.git', '.next', '.turbo', '.clarion', 'dist', 'generated']);

/** Every file that is committed or would be: what git says, or a walk where there is no git (an unpacked archive). */
export function projectFiles() {
  try {
    const out = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return out.split('\0').filter((path) => path && existsSync(inRoot(path)));
  } catch {
    return walk('');
  }
}

function walk(dir) {
  return readdirSync(inRoot(dir), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(dir, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

export const readProjectFile = (path) => readFileSync(inRoot(path), 'utf8');

/** The root's and every workspace's package.json, by its folder ('' for the root). */
export function workspaces() {
  const dirs = ['apps', 'packages', 'examples'].flatMap((group) =>
    readdirSync(inRoot(group)).map((name) => `${group}/${name}`),
  );
  return ['', ...dirs]
    .filter((dir) => existsSync(inRoot(dir, 'package.json')))
    .map((dir) => ({ dir, manifest: JSON.parse(readFileSync(inRoot(dir, 'package.json'), 'utf8')) }));
}
