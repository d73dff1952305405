import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, root } from '../paths.ts';

/** The input of the checks: the repository, or a few given files in a test. */
export interface Project {
  /** Paths from the root of the repository. */
  files: readonly string[];
  read(path: string): string;
  /** Whether a file or a folder exists. */
  exists(path: string): boolean;
  workspaces: readonly Workspace[];
}

export interface Workspace {
  /** '' for the root. */
  dir: string;
  manifest: Manifest;
}

export interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  exports?: Record<string, unknown>;
  imports?: Record<string, unknown>;
}

const IGNORED = new Set(['node_modules', '.git', '.next', '.turbo', '.clarion', 'dist', 'generated']);

/** The repository. Each file is read at most once. */
export function repository(): Project {
  const texts = new Map<string, string>();
  const read = (path: string) => {
    const text = texts.get(path) ?? readFileSync(inRoot(path), 'utf8');
    texts.set(path, text);
    return text;
  };
  return {
    files: projectFiles(),
    read,
    exists: (path) => existsSync(inRoot(path)),
    workspaces: workspaces(),
  };
}

/** All files that are committed or could be, from git; without git (an unpacked archive), all files. */
function projectFiles(): string[] {
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

function walk(dir: string): string[] {
  return readdirSync(inRoot(dir), { withFileTypes: true }).flatMap((entry) => {
    if (IGNORED.has(entry.name)) return [];
    const path = join(dir, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/** The root and every workspace. */
function workspaces(): Workspace[] {
  const dirs = ['apps', 'packages', 'examples'].flatMap((group) =>
    readdirSync(inRoot(group)).map((name) => `${group}/${name}`),
  );
  return ['', ...dirs]
    .filter((dir) => existsSync(inRoot(dir, 'package.json')))
    .map((dir) => ({
      dir,
      manifest: JSON.parse(readFileSync(inRoot(dir, 'package.json'), 'utf8')) as Manifest,
    }));
}

/** A project of the given files, for tests of the checks. */
export function projectOf(texts: Record<string, string>): Project {
  const files = Object.keys(texts);
  const manifests = files.filter((path) => /(^|\/)package\.json$/.test(path));
  return {
    files,
    read: (path) => texts[path] ?? '',
    exists: (path) => files.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`)),
    workspaces: manifests.map((path) => ({
      dir: path.replace(/\/?package\.json$/, ''),
      manifest: JSON.parse(texts[path] ?? '{}') as Manifest,
    })),
  };
}
