/** The server's main process, found by the pid file in its cluster. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { UserError } from '../terminal/log.ts';

const ORPHAN_STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 50;

/** Undefined if no server is running. */
export function postmasterPid(pgdata: string): number | undefined {
  const file = join(pgdata, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 && isPostgres(pid, pgdata) ? pid : undefined;
}

export interface Guard {
  /** Ends the guard. Call this after the server has stopped. */
  release(): Promise<void>;
}

/** Stops the server if this process is killed: a shell waits until the pipe from this process closes. */
export function guardPostgres(pgdata: string): Guard {
  const script = 'cat > /dev/null; pid=$(head -n 1 "$1" 2> /dev/null) && kill -INT "$pid" 2> /dev/null; true';
  const guard = spawn('sh', ['-c', script, 'clarion-postgres-guard', join(pgdata, 'postmaster.pid')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // Ctrl-C in the terminal must not reach it
    cwd: '/',
  });
  guard.unref();
  (guard.stdin as Socket).unref(); // a pipe of a child process is a socket
  const exited = once(guard, 'exit');
  return {
    release: async () => {
      guard.ref();
      guard.stdin.end();
      await exited;
    },
  };
}

/**
 * Stops a server that outlived a killed `npm start` (a second `npm start` on the same directory is refused before this is called).
 * The pid file of a dead server is removed, even if another program has the same pid now.
 */
export async function stopOrphan(pgdata: string): Promise<void> {
  const pid = postmasterPid(pgdata);
  if (pid !== undefined) {
    process.kill(pid, 'SIGINT');
    const deadline = Date.now() + ORPHAN_STOP_TIMEOUT_MS;
    while (isPostgres(pid, pgdata)) {
      if (Date.now() > deadline)
        throw new UserError(`an earlier PostgreSQL (process ${pid}) in ${pgdata} does not stop`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  rmSync(join(pgdata, 'postmaster.pid'), { force: true });
}

function isPostgres(pid: number, pgdata: string): boolean {
  const { stdout, status } = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  if (status === 0) return stdout.includes(pgdata);
  const cmdline = `/proc/${pid}/cmdline`; // slim images may have no `ps`
  return existsSync(cmdline) && readFileSync(cmdline, 'utf8').includes(pgdata);
}
