import { mkdirSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inRoot, root } from '../paths.ts';
import type { Project } from './project-files.ts';

/** Inside node_modules, so that an install discards it together with the packages that were checked. */
const CACHE = 'node_modules/.cache/clarion/types';

interface TsConfig {
  compilerOptions?: Record<string, unknown>;
  include: string[];
  exclude?: string[];
}

export interface TypeGroup {
  dirs: string[];
  compilerOptions: Record<string, unknown>;
  /** Relative to the root of the repository, like `exclude`. */
  include: string[];
  exclude: string[];
}

/** The workspaces with a tsconfig.json, grouped by their compiler options. */
export function typeGroups({ workspaces, exists, read }: Project): TypeGroup[] {
  const groups = new Map<string, TypeGroup>();
  for (const { dir } of workspaces) {
    const path = join(dir, 'tsconfig.json');
    if (!exists(path)) continue;
    const { compilerOptions = {}, include, exclude = [] } = JSON.parse(read(path)) as TsConfig;
    const key = JSON.stringify(Object.entries(compilerOptions).toSorted());
    const group = groups.get(key) ?? { dirs: [], compilerOptions, include: [], exclude: [] };
    group.dirs.push(dir);
    group.include.push(...include.map((pattern) => join(dir, pattern)));
    group.exclude.push(...exclude.map((pattern) => join(dir, pattern)));
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Writes a tsconfig.json for the whole group. Only what has changed since the last run is checked again. */
export function writeTypeConfig({ dirs, compilerOptions, include, exclude }: TypeGroup): string {
  const name = createHash('sha256').update(dirs.join()).digest('hex').slice(0, 12);
  const file = inRoot(CACHE, `${name}.json`);
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      ...compilerOptions,
      incremental: true,
      // With it, tsc 7.0.2 does not check the importers of a changed file again. What it forbids, verbatimModuleSyntax forbids as well.
      isolatedModules: false,
      tsBuildInfoFile: inRoot(CACHE, `${name}.tsbuildinfo`),
    },
    include: include.map((pattern) => join(root, pattern)),
    exclude: exclude.map((pattern) => join(root, pattern)),
  };
  mkdirSync(inRoot(CACHE), { recursive: true });
  writeFileSync(file, JSON.stringify(config, null, 2));
  return file;
}
