/** Rules for dependencies. Each check returns its complaints as lines. */
import { join } from 'node:path';
import type { Manifest, Project } from './project-files.ts';

const TEXT =
  /\.(ts|tsx|mjs|js|json|md|css|prisma|sql|toml|txt|ya?ml|h|sh)$|(^|\/)(\.env\.example|\.npmrc|CMakeLists\.txt|run)$/;

/** Each machine configures its own package registry; a host name in the repository breaks the others. */
export function registryHosts({ files, read }: Project): string[] {
  const hosts = [
    ['registry', 'npmjs', 'org'],
    ['registry', 'yarnpkg', 'com'],
    ['npm', 'pkg', 'github', 'com'],
    ['deb', 'debian', 'org'],
    ['files', 'pythonhosted', 'org'],
  ].map((parts) => parts.join('.'));
  const configured = /^https?:\/\/([^/:]+)/.exec(process.env['npm_config_registry'] ?? '')?.[1];
  if (configured && configured !== 'localhost') hosts.push(configured);
  return files
    .filter((file) => TEXT.test(file))
    .flatMap((file) => {
      const text = read(file);
      return hosts
        .filter((host) => text.includes(host))
        .map((host) => `${file} names the package registry ${host}`);
    });
}

const dependenciesOf = ({ dependencies, devDependencies }: Manifest) => ({
  ...dependencies,
  ...devDependencies,
});

/** docs/dependencies.md explains each dependency in one line. */
export function undocumentedDependencies({ read, workspaces }: Project): string[] {
  const doc = read('docs/dependencies.md');
  const documented = new Set([...doc.matchAll(/^\| `([^`]+)` +\| +[^\s|]/gm)].map(([, name]) => name));
  const used = new Set(
    workspaces
      .flatMap(({ manifest }) => Object.keys(dependenciesOf(manifest)))
      .filter((name) => !name.startsWith('@clarion/')),
  );
  return [
    ...[...used].filter((name) => !documented.has(name)).map((name) => `docs/dependencies.md lacks ${name}`),
    ...[...documented]
      .filter((name) => name !== undefined && !used.has(name))
      .map((name) => `docs/dependencies.md has ${name}, which nothing uses`),
  ];
}

/** Exact versions, the same in every workspace, so that every install gives the same result. */
export function looseVersions({ workspaces }: Project): string[] {
  const seen = new Map<string, { version: string; where: string }>();
  return workspaces.flatMap(({ dir, manifest }) =>
    Object.entries(dependenciesOf(manifest)).flatMap(([name, version]) => {
      const where = join(dir, 'package.json');
      const known = seen.get(name) ?? { version, where };
      seen.set(name, known);
      if (!/^\d/.test(version)) return [`${where}: ${name} is ${version}, not an exact version`];
      return known.version === version
        ? []
        : [`${where}: ${name} is ${version}, but ${known.version} in ${known.where}`];
    }),
  );
}
