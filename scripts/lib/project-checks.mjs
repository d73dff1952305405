/** Rules of this repository that no general tool knows. Each returns its complaints as lines, none when all is well. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectFiles, readProjectFile, workspaces } from './files.mjs';
import { missingFromLock } from './lock-file.mjs';
import { inRoot } from './paths.mjs';

const TEXT =
  /\.(ts|tsx|mjs|js|json|md|css|prisma|sql|toml|txt|ya?ml|h|sh)$|(^|\/)(\.env\.example|\.npmrc|CMakeLists\.txt|run)$/;

/** Paths in prose that are worth holding against the disk: they begin with one of our folders. */
const OUR_PATH = /^(apps|packages|scripts|docs|tools|bench|prove)\/[\w.@/[\]-]+$/;

/** A link or a back-quoted path in a document must lead somewhere. */
export function deadPathsInDocs(files = projectFiles()) {
  return files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = readProjectFile(file).replaceAll(/^```.*?^```/gms, '');
      const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target)
        .filter((target) => !/^[a-z]+:/i.test(target))
        .map((target) => normalize(join(dirname(file), target)));
      const quoted = [...text.matchAll(/`([^`\s]+)`/g)]
        .map(([, target]) => target)
        .filter((path) => OUR_PATH.test(path));
      return [...links, ...quoted]
        .filter((path) => !existsSync(inRoot(path)))
        .map((path) => `${file} mentions ${path}, which does not exist`);
    });
}

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

/** `new Date()` without an argument is a clock; oxlint sees only `Date.now`. */
export function clocksInPureFolders(files = projectFiles()) {
  return files
    .filter((file) => /^packages\/core\/src\/(call|queue|ivr|rating|numbers)\/.*\.ts$/.test(file))
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('packages/core/src/call/engine/'))
    .flatMap((file) =>
      readProjectFile(file)
        .split('\n')
        .flatMap((line, i) =>
          /new Date\(\s*\)/.test(line)
            ? [`${file}:${i + 1} reads the clock: a pure folder takes \`now\``]
            : [],
        ),
    );
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
