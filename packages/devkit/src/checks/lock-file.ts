import type { Project } from './project-files.ts';

export interface LockedPackage {
  version?: string;
  resolved?: string;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

export interface LockFile {
  packages: Record<string, LockedPackage>;
}

export interface MissingPackage {
  name: string;
  version: string;
  dev: boolean | undefined;
}

/** The optional dependencies of packages in the lock file that the lock file lacks. */
export function missingFromLock({ packages }: LockFile): MissingPackage[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !foldersUp(path).some((dir) => packages[`${dir}node_modules/${name}`]))
      .map(([name, version]) => ({ name, version, dev })),
  );
}

/** Where Node would look from `path`: its own folder, those above it, the root. */
function foldersUp(path: string): string[] {
  const parts = path === '' ? [] : path.split('/');
  return [...parts.keys()].map((i) => `${parts.slice(0, parts.length - i).join('/')}/`).concat('');
}

/** `npm ci` refuses a lock file that lacks a package: see scripts/complete-lock.ts. */
export function gapsInLockFile({ read }: Project): string[] {
  const lock = JSON.parse(read('package-lock.json')) as LockFile;
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
