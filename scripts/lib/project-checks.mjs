/** Rules of this repository that no general tool knows. Each returns its complaints as lines, none when all is well. */
import { join } from 'node:path';
import { projectFiles, readProjectFile, workspaces } from './files.mjs';
import { cyclesOf, folderImports, folderOf, importsOutside, isProductCode } from './folder-graph.mjs';
import { missingFromLock } from './lock-file.mjs';

const TEXT =
  /\.(ts|tsx|mjs|js|json|md|css|prisma|sql|toml|txt|ya?ml|h|sh)$|(^|\/)(\.env\.example|\.npmrc|CMakeLists\.txt|run)$/;

/** Where packages come from is the machine's business; a host written down breaks every other machine. */
export function registryHosts(files = projectFiles()) {
  const hosts = [
    ['registry', 'npmjs', 'org'],
    ['registry', 'yarnpkg', 'com'],
    ['npm', 'pkg', 'github', 'com'],
    ['deb', 'debian', 'org'],
    ['files', 'pythonhosted', 'org'],
  ].map((parts) => parts.join('.'));
  const configured = /^https?:\/\/([^/:]+)/.exec(process.env.npm_config_registry ?? '')?.[1];
  if (configured && configured !== 'localhost') hosts.push(configured);
  return files
    .filter((file) => TEXT.test(file))
    .flatMap((file) => {
      const text = readProjectFile(file);
      return hosts
        .filter((host) => text.includes(host))
        .map((host) => `${file} names the package registry ${host}`);
    });
}

const CORE = 'packages/core/src';

/** Folders of core that decide and do nothing else: no database, no clock, no I/O, and no folder that has any of them. */
const PURE_FOLDERS = ['call-machine', 'queue-routing', 'ivr', 'numbers'];
/** Folders of verbs that are told the time, too, but reach the database. */
const TIMELESS_FOLDERS = [...PURE_FOLDERS, 'call', 'call-record', 'queue'];

const filesOf = (folders, files) =>
  files.filter((path) => isProductCode(path) && folders.includes(folderOf(CORE, path)));

/** `new Date()` without an argument is a clock; oxlint sees only `Date.now`. */
export function clocksInPureFolders(files = projectFiles()) {
  return filesOf(TIMELESS_FOLDERS, files).flatMap((file) =>
    readProjectFile(file)
      .split('\n')
      .flatMap((line, i) =>
        /new Date\(\s*\)/.test(line) ? [`${file}:${i + 1} reads the clock: a pure folder takes \`now\``] : [],
      ),
  );
}

/** Packages that a pure folder may not import are listed in .oxlintrc.json; its neighbours in core are checked here. */
export function impureImports(files = projectFiles()) {
  return importsOutside(CORE, PURE_FOLDERS, filesOf(PURE_FOLDERS, files).map(withText)).map(
    ({ path, target }) => `${path} imports ${target}: a pure folder imports pure folders only`,
  );
}

const withText = (path) => ({ path, text: readProjectFile(path) });

/** Source trees of which no folder may lead back to itself by imports. */
const ACYCLIC_ROOTS = [CORE, 'apps/realtime/src', 'apps/web', 'apps/web/lib'];

/** A folder that takes part in a cycle cannot be understood, tested or moved without the others of it. */
export function folderCycles(files = projectFiles(), roots = ACYCLIC_ROOTS) {
  return roots.flatMap((root) => {
    const sources = files.filter((path) => path.startsWith(`${root}/`) && isProductCode(path)).map(withText);
    const imports = folderImports(root, sources, aliasesFor(root));
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

/** `#lib/*` of the package.json above `root` leads to a folder beside it. */
const aliasesFor = (root) =>
  Object.fromEntries(
    workspaces()
      .filter(({ dir }) => dir !== '' && `${root}/`.startsWith(`${dir}/`))
      .flatMap(({ dir, manifest }) =>
        Object.entries(manifest.imports ?? {})
          .filter(([name, target]) => name.endsWith('*') && typeof target === 'string')
          .map(([name, target]) => [name.slice(0, -1), join(dir, target.replace(/\*.*$/, ''))]),
      ),
  );

/** Core's public surface is the `exports` of its package.json; Node and TypeScript refuse every other import. */
export function unusedExportsOfCore(files = projectFiles()) {
  const { exports } = JSON.parse(readProjectFile('packages/core/package.json'));
  const imported = new Set(
    files
      .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !path.startsWith(`${CORE}/`))
      .flatMap((path) => [...readProjectFile(path).matchAll(/['"]@clarion\/core\/([\w./-]+)['"]/g)])
      .map(([, module]) => `./${module}`),
  );
  return Object.keys(exports)
    .filter((name) => !name.includes('*') && !imported.has(name))
    .map((name) => `packages/core/package.json exports ${name}, which no other package imports`);
}

/** Every dependency, once, with a line that says why: docs/dependencies.md. */
export function undocumentedDependencies() {
  const doc = readProjectFile('docs/dependencies.md');
  const documented = new Set([...doc.matchAll(/^\| `([^`]+)` +\| +\S/gm)].map(([, name]) => name));
  const used = new Set(
    workspaces()
      .flatMap(({ manifest }) => Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))
      .filter((name) => !name.startsWith('@clarion/')),
  );
  return [
    ...[...used].filter((name) => !documented.has(name)).map((name) => `docs/dependencies.md lacks ${name}`),
    ...[...documented]
      .filter((name) => !used.has(name))
      .map((name) => `docs/dependencies.md has ${name}, which nothing uses`),
  ];
}

/** Exact versions, the same in every workspace: an install tomorrow is today's install. */
export function looseVersions() {
  const seen = new Map();
  return workspaces().flatMap(({ dir, manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap(([name, version]) => {
      const where = join(dir, 'package.json');
      const known = seen.get(name) ?? seen.set(name, { version, where }).get(name);
      if (!/^\d/.test(version)) return [`${where}: ${name} is ${version}, not an exact version`];
      return known.version === version
        ? []
        : [`${where}: ${name} is ${version}, but ${known.version} in ${known.where}`];
    }),
  );
}

/** `npm ci` refuses a lock file that lacks what it names: see scripts/complete-lock.mjs. */
export function gapsInLockFile() {
  const lock = JSON.parse(readProjectFile('package-lock.json'));
  const gaps = missingFromLock(lock).map(
    ({ name }) => `package-lock.json lacks ${name}: npm run lock fixes it`,
  );
  const fromHosts = Object.entries(lock.packages).filter(([, { resolved }]) =>
    /^https?:/.test(resolved ?? ''),
  );
  return [
    ...gaps,
    ...fromHosts.map(([path]) => `package-lock.json contains the URL from which ${path} was downloaded`),
  ];
}
