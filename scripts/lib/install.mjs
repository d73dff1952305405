/** From a fresh clone to something that runs: packages, generated code, built bundles. Each only when it is out of date. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exec } from './exec.mjs';
import { Sorry, step } from './log.mjs';
import { withLock } from './lock.mjs';
import { ensureMediasoupWorker } from './mediasoup-worker.mjs';
import { cacheDir, inRoot, node24, root } from './paths.mjs';

const INSTALL_TIMEOUT_MS = 20 * 60_000;
const BUILD_TIMEOUT_MS = 20 * 60_000;
const GENERATED = 'packages/db/src/generated';

/** Any file that exists: keeps mediasoup's and Prisma's install steps from downloading binaries (see paths below). */
const NO_DOWNLOADS = {
  MEDIASOUP_WORKER_BIN: process.execPath, // its worker is provided by mediasoup-worker.mjs
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, // `generate` asks for it and does not use it
};

export function toolEnv(more = {}) {
  return {
    ...process.env,
    PATH: `${inRoot('node_modules/.bin')}:${process.env.PATH}`,
    NEXT_TELEMETRY_DISABLED: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
    CHECKPOINT_DISABLE: '1',
    ...more,
  };
}

/**
 * Everything that `npm start` and `npm test` need before they do their own. With `mediaWorker`, mediasoup's worker is provided while
 * the pages are built: where it has to be compiled, the two take equally long.
 */
export async function prepare({
  build: wanted = ['@clarion/web', '@clarion/sdk', '@clarion/phone'],
  mediaWorker = false,
} = {}) {
  const clone = createHash('sha256').update(root).digest('hex').slice(0, 12);
  await withLock(join(cacheDir, `prepare-${clone}.lock`), 'installing or building', async () => {
    await install();
    const pages = async () => {
      await generate();
      await build(wanted);
    };
    await Promise.all([pages(), mediaWorker && ensureMediasoupWorker()]);
  });
}

async function install() {
  if (isInstalled()) return;
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const options = { cwd: root, env: { ...process.env, ...NO_DOWNLOADS }, timeoutMs: INSTALL_TIMEOUT_MS };
  const flags = ['--no-fund', '--no-audit', '--loglevel=error'];
  await step('installing packages', async (note) => {
    const exact = await exec(command, [...args, 'ci', ...flags], { ...options, allowFailure: true });
    if (exact.code === 0) return;
    if (!exact.output.includes('EUSAGE')) throw new Sorry(`npm ci failed:\n${exact.output.trimEnd()}`);
    note('package-lock.json does not match package.json (npm run lock fixes this): installing without it');
    await exec(command, [...args, 'install', '--no-package-lock', ...flags], options);
  });
}

/** npm keeps a copy of the lock file in node_modules, written when an install is complete: do both name the same versions? */
function isInstalled() {
  const installedFile = inRoot('node_modules/.package-lock.json');
  if (!existsSync(installedFile) || !existsSync(node24)) return false;
  const wanted = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, link, optional }]) =>
      !path.startsWith('node_modules/') ||
      link ||
      installed[path]?.version === version ||
      (optional && !installed[path]),
  );
}

async function generate() {
  const schema = readFileSync(inRoot('packages/db/prisma/schema.prisma'));
  const { version } = JSON.parse(readFileSync(inRoot('node_modules/prisma/package.json'), 'utf8'));
  const wanted = createHash('sha256').update(version).update(schema).digest('hex');
  const stamp = inRoot(GENERATED, '.made-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  await step('generating the database client', () =>
    exec(node24, [inRoot('node_modules/prisma/build/index.js'), 'generate'], {
      cwd: inRoot('packages/db'),
      env: toolEnv(NO_DOWNLOADS),
    }),
  );
  mkdirSync(inRoot(GENERATED), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Turbo keeps what it built by the content of the sources, and restores it when they come back. */
async function build(packages) {
  const buildable = packages.filter((name) => {
    const dir = name.replace('@clarion/', '');
    const file = [inRoot('apps', dir, 'package.json'), inRoot('packages', dir, 'package.json')].find(
      existsSync,
    );
    return file !== undefined && JSON.parse(readFileSync(file, 'utf8')).scripts?.build !== undefined;
  });
  if (buildable.length === 0) return;
  const filters = buildable.map((name) => `--filter=${name}`);
  await step('building the pages and the browser bundle', () =>
    exec(
      inRoot('node_modules/.bin/turbo'),
      ['run', 'build', ...filters, '--output-logs=errors-only', '--no-color'],
      {
        cwd: root,
        env: toolEnv(),
        timeoutMs: BUILD_TIMEOUT_MS,
      },
    ),
  );
}
