/** Rules for the folders of core, realtime and web that the linter cannot express. Each check returns its complaints as lines. */
import { join } from 'node:path';
import {
  cyclesOf,
  folderImports,
  folderOf,
  importsOutside,
  isProductCode,
  type Aliases,
} from './folder-graph.ts';
import type { Project } from './project-files.ts';

const CORE = 'packages/core/src';

/** Folders of core with pure functions only: no database, no clock, no I/O, and no imports of folders that have any of them. */
const PURE_FOLDERS = [
  'call-machine',
  'queue-routing',
  'ivr',
  'ladder-view',
  'ledger',
  'numbers',
  'rating',
  'trunk-monitor',
  'whatsapp-graph',
];
/** Pure folders, and folders of verbs that take `now` as a parameter but use the database. */
const TIMELESS_FOLDERS = [...PURE_FOLDERS, 'call', 'call-record', 'queue'];

const filesOf = (folders: string[], { files }: Project) =>
  files.filter((path) => isProductCode(path) && folders.includes(folderOf(CORE, path) ?? ''));

/** `new Date()` without an argument reads the clock; oxlint sees only `Date.now`. */
export function clocksInPureFolders(project: Project): string[] {
  return filesOf(TIMELESS_FOLDERS, project).flatMap((file) =>
    project
      .read(file)
      .split('\n')
      .flatMap((line, i) =>
        /new Date\(\s*\)/.test(line) ? [`${file}:${i + 1} reads the clock: a pure folder takes \`now\``] : [],
      ),
  );
}

/** .oxlintrc.json restricts the packages that a pure folder may import; this check restricts the folders of core. */
export function impureImports(project: Project): string[] {
  const sources = filesOf(PURE_FOLDERS, project).map((path) => ({ path, text: project.read(path) }));
  return importsOutside(CORE, PURE_FOLDERS, sources).map(
    ({ path, target }) => `${path} imports ${target}: a pure folder imports pure folders only`,
  );
}

/** Source trees in which no folder may import itself through others. */
const ACYCLIC_ROOTS = [
  CORE,
  'apps/realtime/src',
  'apps/cli/src',
  'apps/web',
  'apps/web/lib',
  'packages/devkit/src',
];

/** A folder that takes part in a cycle cannot be understood, tested or moved without the others. */
export function folderCycles(project: Project, roots: readonly string[] = ACYCLIC_ROOTS): string[] {
  return roots.flatMap((root) => {
    const sources = project.files
      .filter((path) => path.startsWith(`${root}/`) && isProductCode(path))
      .map((path) => ({ path, text: project.read(path) }));
    const imports = folderImports(root, sources, aliasesFor(project, root));
    return cyclesOf(imports).map((cycle) =>
      [
        `${root}: these folders import one another: ${cycle.join(', ')}`,
        ...imports
          .filter(({ from, to }) => cycle.includes(from) && cycle.includes(to))
          .map(({ path, target }) => `  ${path} imports ${target}`),
      ].join('\n'),
    );
  });
}

/** The aliases (`#lib/*`) in the package.json of the workspace that contains `root`. */
const aliasesFor = ({ workspaces }: Project, root: string): Aliases =>
  Object.fromEntries(
    workspaces
      .filter(({ dir }) => dir !== '' && `${root}/`.startsWith(`${dir}/`))
      .flatMap(({ dir, manifest }) =>
        Object.entries(manifest.imports ?? {}).flatMap(([name, target]) =>
          name.endsWith('*') && typeof target === 'string'
            ? [[name.slice(0, -1), join(dir, target.replace(/\*.*$/, ''))]]
            : [],
        ),
      ),
  );

/** Core's public surface is the `exports` of its package.json; Node and TypeScript refuse every other import. */
export function unusedExportsOfCore({ files, read }: Project): string[] {
  const { exports = {} } = JSON.parse(read('packages/core/package.json')) as {
    exports?: Record<string, unknown>;
  };
  const imported = new Set(
    files
      .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !path.startsWith(`${CORE}/`))
      .flatMap((path) => [...read(path).matchAll(/['"]@clarion\/core\/([\w./-]+)['"]/g)])
      .map(([, module]) => `./${module}`),
  );
  return Object.keys(exports)
    .filter((name) => !name.includes('*') && !imported.has(name))
    .map((name) => `packages/core/package.json exports ${name}, which no other package imports`);
}
