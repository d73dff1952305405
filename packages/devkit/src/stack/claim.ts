/** Allows one running copy per data directory, recorded in its `stack.json`: two would share a database and act as nodes of one system. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { processIdentity } from '../system/process-identity.ts';
import { UserError } from '../terminal/log.ts';

const OWNER_ONLY = 0o600;

/** The addresses of a running copy and the environment of its processes. */
export interface Running {
  baseUrl: string;
  env: Record<string, string>;
}

interface Owner {
  pid: number;
  identity: string | undefined;
}

const fileIn = (dataDir: string) => join(dataDir, 'stack.json');

/** The copy that uses a data directory; undefined if none is running. */
export function runningStack(dataDir: string): (Running & Owner) | undefined {
  const file = fileIn(dataDir);
  if (!existsSync(file)) return undefined;
  const stack = JSON.parse(readFileSync(file, 'utf8')) as Running & Owner;
  return processIdentity(stack.pid) === stack.identity ? stack : undefined;
}

export interface Claim {
  /** Records what other commands need to find the running copy. */
  write(running: Running): void;
  release(): void;
}

export function claimDataDir(dataDir: string): Claim {
  const running = runningStack(dataDir);
  if (running) {
    const where = relative(process.cwd(), dataDir) || dataDir;
    throw new UserError(
      `Clarion is already running with the data directory ${where} (process ${running.pid}).\n` +
        'To run a second copy, set CLARION_DATA_DIR and the ports (see .env.example).',
    );
  }
  const file = fileIn(dataDir);
  const owner: Owner = { pid: process.pid, identity: processIdentity(process.pid) };
  const write = (contents: Owner & Partial<Running>) => {
    mkdirSync(dataDir, { recursive: true });
    // A killed process leaves its file behind, and `mode` applies only to new files.
    if (existsSync(file)) chmodSync(file, OWNER_ONLY);
    writeFileSync(file, JSON.stringify(contents, null, 2), { mode: OWNER_ONLY });
  };
  write(owner);
  return {
    write: (contents) => write({ ...owner, ...contents }),
    release: () => rmSync(file, { force: true }),
  };
}
