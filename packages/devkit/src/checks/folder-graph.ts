/** The imports between the folders of a source tree, including imports of types. */
import { posix } from 'node:path';

export interface SourceFile {
  path: string;
  text: string;
}

export interface FolderImport {
  from: string;
  to: string;
  path: string;
  target: string;
}

/** Prefix → folder, for example `#lib/` → `apps/web/lib/`. */
export type Aliases = Record<string, string>;

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([.#][^'"]*)['"]/g;

/** Whether a file is part of the running product. Tests, their data and stories may import everything. */
export const isProductCode = (path: string): boolean =>
  /\.(ts|tsx|mts|mjs)$/.test(path) &&
  !/\.(test|stories|d)\.\w+$/.test(path) &&
  !/(^|\/)(__fixtures__|test|generated|node_modules|\.next)\//.test(path);

/** Every import of another file of the repository: relative, or by an alias of package.json (`#lib/*`). */
export function importsOf({ path, text }: SourceFile, aliases: Aliases = {}): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('.')) return [posix.join(posix.dirname(path), specifier)];
    const alias = Object.keys(aliases).find((prefix) => specifier.startsWith(prefix));
    return alias === undefined ? [] : [aliases[alias] + specifier.slice(alias.length)];
  });
}

/** The folder below `root` that contains a file; the file itself if it is directly in `root`; null if it is elsewhere. */
export function folderOf(root: string, path: string): string | null {
  if (!path.startsWith(`${root}/`)) return null;
  const [first = '', ...rest] = path.slice(root.length + 1).split('/');
  return rest.length > 0 ? first : first.replace(/\.\w+$/, '');
}

/** One entry for each import from one folder of `root` to another. */
export const folderImports = (
  root: string,
  files: readonly SourceFile[],
  aliases?: Aliases,
): FolderImport[] =>
  files.flatMap((file) => {
    const from = folderOf(root, file.path);
    if (from === null) return [];
    return importsOf(file, aliases).flatMap((target) => {
      const to = folderOf(root, target);
      return to === null || to === from ? [] : [{ from, to, path: file.path, target }];
    });
  });

/** Every import in one of `folders` of a file outside all of them. */
export const importsOutside = (
  root: string,
  folders: readonly string[],
  files: readonly SourceFile[],
  aliases?: Aliases,
): Pick<FolderImport, 'path' | 'target'>[] =>
  files
    .filter(({ path }) => folders.includes(folderOf(root, path) ?? ''))
    .flatMap((file) =>
      importsOf(file, aliases)
        .filter((target) => !folders.includes(folderOf(root, target) ?? ''))
        .map((target) => ({ path: file.path, target })),
    );

/** Groups of folders that all import one another, directly or through others; empty if there is no cycle. */
export function cyclesOf(imports: readonly Pick<FolderImport, 'from' | 'to'>[]): string[][] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of imports) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const reached = new Map([...targets.keys()].map((folder) => [folder, reachable(targets, folder)]));
  const cycles = new Map<string, string[]>();
  for (const [folder, others] of reached) {
    if (!others.has(folder)) continue;
    const cycle = [...others].filter((other) => reached.get(other)?.has(folder)).toSorted();
    cycles.set(cycle.join(' '), cycle);
  }
  return [...cycles.values()];
}

/** The folders that `start` imports, directly or through others; contains `start` only if it is part of a cycle. */
function reachable(targets: Map<string, Set<string>>, start: string): Set<string> {
  const seen = new Set<string>();
  const left: string[] = [start];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    for (const next of targets.get(folder) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      left.push(next);
    }
  }
  return seen;
}
