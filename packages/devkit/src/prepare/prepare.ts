/** Generates code and builds bundles if they are out of date. scripts/install.mjs has installed the packages before. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, inRoot, node24, root } from '../paths.ts';
import { exec } from '../system/exec.ts';
import { withLock } from '../system/lock.ts';
import { step } from '../terminal/log.ts';
import { ensureMediasoupWorker } from './mediasoup-worker.ts';
import { NO_DOWNLOADS, toolEnv } from './tool-env.ts';

const BUILD_TIMEOUT_MS = 20 * 60_000;
const GENERATED = 'packages/db/src/generated';
/** The packages with pages or a bundle that browsers load. */
const BUILDABLE = ['@clarion/web', '@clarion/sdk', '@clarion/phone'];

export interface Prepared {
  /** Packages to build; default: all that have a build step. */
  build?: string[] | undefined;
  /**
   * Also provides mediasoup's worker, while the pages are built: if it has to be compiled, both take about the same time.
   */
  mediaWorker?: boolean;
}

/** Prepares everything that `npm start` and `npm test` need. */
export async function prepare({
  build: wanted = BUILDABLE,
  mediaWorker = false,
}: Prepared = {}): Promise<void> {
  const clone = createHash('sha256').update(root).digest('hex').slice(0, 12);
  await withLock(join(cacheDir, `prepare-${clone}.lock`), 'building', async () => {
    const pages = async () => {
      await generate();
      await build(wanted);
    };
    await Promise.all([pages(), mediaWorker && ensureMediasoupWorker()]);
  });
}

async function generate(): Promise<void> {
  const schema = readFileSync(inRoot('packages/db/prisma/schema.prisma'));
  const { version } = manifestOf(inRoot('node_modules/prisma'));
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

/** Turbo caches results by the contents of the sources and restores them. */
async function build(packages: string[]): Promise<void> {
  if (packages.length === 0) return;
  const filters = packages.map((name) => `--filter=${name}`);
  await step('building the pages and the browser bundle', () =>
    exec(
      inRoot('node_modules/.bin/turbo'),
      ['run', 'build', ...filters, '--output-logs=errors-only', '--no-color'],
      { cwd: root, env: toolEnv(), timeoutMs: BUILD_TIMEOUT_MS },
    ),
  );
}

const manifestOf = (dir: string) =>
  JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { version: string };
