/** Unsupervised servers, for the duration of one command or test run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../terminal/log.ts';
import { preparePostgres, type PostgresCommand } from './cluster.ts';
import { createDatabaseIfMissing } from './database.ts';
import { guardPostgres } from './postmaster.ts';

const LOG_TAIL_CHARACTERS = 4_000;

export interface RunningPostgres {
  /** The URL of the database `clarion`, which exists. */
  url: string;
  pid: number | undefined;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function runPostgres(prepared: PostgresCommand): Promise<RunningPostgres> {
  const { command, args, uid, gid, pgdata, url } = prepared;
  const server = spawn(command, args, {
    uid,
    gid,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const guard = guardPostgres(pgdata);
  await new Promise<void>((resolve, reject) => {
    let output = '';
    server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-LOG_TAIL_CHARACTERS);
      if (output.includes('database system is ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new UserError(`PostgreSQL exited with ${code}:\n${output}`)));
  });
  server.unref();
  (server.stderr as Socket).unref(); // a pipe of a child process is a socket
  await createDatabaseIfMissing(url);
  return {
    url,
    pid: server.pid,
    stop: async (signal = 'SIGINT') => {
      const exited = once(server, 'exit');
      server.ref();
      server.kill(signal);
      await exited;
      await guard.release();
    },
  };
}

/** A server in a temporary directory that is removed on stop: for tests, and for comparing schemas. */
export async function startTemporaryPostgres({
  settings = {},
}: { settings?: Record<string, string> } = {}): Promise<{ url: string; stop(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-postgres-'));
  chmodSync(dir, 0o755);
  const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', ...settings };
  const server = await runPostgres(await preparePostgres({ dir, password: 'temporary', settings: quick }));
  return {
    url: server.url,
    stop: async () => {
      await server.stop('SIGQUIT'); // its data is discarded, so it needs no clean shutdown
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
