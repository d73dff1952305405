/**
 * `npm run lock`, to be run after a dependency has changed: writes package-lock.json and adds the builds for other systems, which npm
 * omits if the registry does not have them. Without these entries, `npm ci` rejects the lock file on every machine.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { missingFromLock, type LockFile, type LockedPackage } from '@clarion/devkit/checks/lock-file';
import { inRoot, root } from '@clarion/devkit/paths';
import { exec } from '@clarion/devkit/system/exec';
import { exitWith, say, step } from '@clarion/devkit/terminal/log';

const file = inRoot('package-lock.json');

/** `@turbo/darwin-arm64` → darwin, arm64: npm then skips the package on other systems without requesting it. */
function platformOf(name: string): LockedPackage {
  const [, os] = /(android|darwin|freebsd|linux|openharmony|win32|windows)/.exec(name) ?? [];
  const [, cpu] = /(?:^|-)(arm64|riscv64|ppc64|s390x|ia32|x64|arm|loong64|wasm32|64)(?=-|$)/.exec(name) ?? [];
  return {
    ...(cpu ? { cpu: [cpu === '64' ? 'x64' : cpu] } : {}),
    ...(name.includes('musl') ? { libc: ['musl'] } : os === 'linux' ? { libc: ['glibc'] } : {}),
    ...(os ? { os: [os === 'windows' ? 'win32' : os] } : {}),
  };
}

try {
  await step('writing package-lock.json', () =>
    exec('npm', ['install', '--package-lock-only', '--no-fund', '--no-audit'], { cwd: root }),
  );
  const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
  const missing = missingFromLock(lock);
  for (const { name, version, dev } of missing) {
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(dev ? { dev } : {}),
      optional: true,
      ...platformOf(name),
    };
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  say(
    missing.length === 0 ? 'The lock file is complete.' : `Added ${missing.length} builds for other systems.`,
  );
} catch (error) {
  exitWith(error);
}
