/** Gives this process the same environment as the processes of the copy in this directory. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, node24, root } from '../paths.ts';
import { preparePostgres } from '../postgres/cluster.ts';
import { runPostgres } from '../postgres/server.ts';
import { dataDirOf, resolveSettings, type Settings } from '../settings/settings.ts';
import { runningStack } from '../stack/claim.ts';
import { exec } from '../system/exec.ts';

const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 20;

/** With `database`, starts the embedded database until this process exits, unless the copy is running or an external one is set. */
export async function useEnvironment({ database }: { database: boolean }): Promise<void> {
  const running = runningStack(dataDirOf());
  if (running) {
    Object.assign(process.env, running.env);
    return;
  }
  const settings = await resolveSettings({ checkPorts: false });
  replaceEnvironment(settings.env);
  if (database && settings.embeddedPostgres) await startDatabase(settings);
}

function replaceEnvironment(env: Record<string, string>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

async function startDatabase({ dataDir, secrets }: Settings): Promise<void> {
  const prepared = await preparePostgres({
    dir: join(dataDir, 'postgres'),
    password: secrets.postgresPassword,
  });
  const { url, pid } = await runPostgres(prepared);
  process.env['DATABASE_URL'] = url;
  process.once('exit', () => stopNow(pid, prepared.pgdata));
  await exec(node24, [inRoot('packages/db/scripts/migrate-cli.ts'), 'migrate'], { cwd: root });
}

/** Stops the server while this process exits, when asynchronous code no longer runs. The server removes its pid file last. */
function stopNow(pid: number | undefined, pgdata: string): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    return; // it has exited already
  }
  const pidFile = join(pgdata, 'postmaster.pid');
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; existsSync(pidFile) && waited < STOP_TIMEOUT_MS; waited += POLL_MS) {
    Atomics.wait(clock, 0, 0, POLL_MS);
  }
}
