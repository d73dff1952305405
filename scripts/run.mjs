/**
 * Runs a TypeScript program on Node 24 with the environment of this directory's copy of Clarion:
 * `node scripts/run.mjs [--database | --built] <entry.ts> [args…]`. With `--database` and nothing running, the embedded database
 * is started for as long as the program takes; with `--built` the pages are built first, for a program that starts a copy.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { exec } from './lib/exec.mjs';
import { prepare } from './lib/install.mjs';
import { exitWith, sayOn } from './lib/log.mjs';
import { inRoot, node24, root } from './lib/paths.mjs';
import { preparePostgres, runPostgres } from './lib/postgres.mjs';
import { dataDirOf, loadDotEnv, resolveSettings } from './lib/settings.mjs';
import { runningStack } from './lib/stack.mjs';

sayOn(process.stderr);

async function main() {
  const args = process.argv.slice(2);
  const needsDatabase = args[0] === '--database';
  const needsBuild = args[0] === '--built';
  const [entry, ...rest] = needsDatabase || needsBuild ? args.slice(1) : args;
  loadDotEnv();
  await prepare(needsBuild ? {} : { build: [] });

  const running = runningStack(dataDirOf());
  const settings = running ? undefined : await resolveSettings({ checkPorts: false });
  const env = running ? { ...process.env, ...running.env } : settings.env;
  const postgres =
    needsDatabase && settings?.embeddedPostgres ? await startDatabase(settings, env) : undefined;
  try {
    return await run(entry, rest, env);
  } finally {
    await postgres?.stop();
  }
}

async function startDatabase(settings, env) {
  const dir = join(settings.dataDir, 'postgres');
  const postgres = await runPostgres(
    await preparePostgres({ dir, password: settings.secrets.postgresPassword }),
  );
  env.DATABASE_URL = postgres.url;
  await exec(node24, [inRoot('packages/db/src/migrate-cli.ts'), 'migrate'], { env, cwd: root });
  return postgres;
}

/** Ctrl-C reaches the program as well as us: it decides when to end, and we end with it. */
function run(entry, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(node24, [inRoot(entry), ...args], { env, stdio: 'inherit', cwd: process.cwd() });
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

main().then((code) => process.exit(code), exitWith);
