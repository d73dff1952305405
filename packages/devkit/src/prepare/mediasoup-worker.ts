/**
 * Finds, downloads or builds mediasoup's worker once. tools/mediasoup-worker/README.md explains each step.
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { cacheDir, inRoot, node24 } from '../paths.ts';
import { ensurePackages } from '../system/debian.ts';
import { exec } from '../system/exec.ts';
import { withLock } from '../system/lock.ts';
import { step, UserError } from '../terminal/log.ts';

const DOWNLOAD_TIMEOUT_MS = 45_000;
const BUILD_TIMEOUT_MS = 40 * 60_000;
/** The worker's exit code when it is started manually (its main.cpp), which shows that the binary runs on this machine. */
const STARTED_MANUALLY = 41;

const BUILD_PACKAGES = [
  'cmake',
  'ninja-build',
  'g++',
  'pkg-config',
  'libuv1-dev',
  'libssl-dev',
  'libsrtp2-dev',
  'flatbuffers-compiler',
  'libflatbuffers-dev',
];

/** The path of a worker that runs on this machine. @throws UserError that explains what to do if there is none */
export async function ensureMediasoupWorker(): Promise<string> {
  const given = process.env['MEDIASOUP_WORKER_BIN'];
  if (given) {
    if (!runs(given))
      throw new UserError(
        `MEDIASOUP_WORKER_BIN is ${given}, which is not a mediasoup worker that runs on this machine`,
      );
    return given;
  }
  const packageDir = inRoot('node_modules/mediasoup');
  const inPackage = join(packageDir, 'worker/out/Release/mediasoup-worker');
  if (runs(inPackage)) return inPackage;

  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as {
    version: string;
  };
  const cached = join(cacheDir, `mediasoup-worker-${version}-${process.arch}`, 'mediasoup-worker');
  if (runs(cached)) return cached;

  return withLock(`${dirname(cached)}.lock`, 'providing the mediasoup worker', async () => {
    if (runs(cached)) return cached;
    if (await download(packageDir, inPackage)) return inPackage;
    await build(packageDir, version, cached);
    return cached;
  });
}

function runs(path: string): boolean {
  if (!existsSync(path)) return false;
  const { MEDIASOUP_VERSION: _, ...env } = process.env;
  return spawnSync(path, [], { env, stdio: 'ignore' }).status === STARTED_MANUALLY;
}

/** Runs the package's install step, which downloads a prebuilt worker. With PYTHON=false it does not build one if that fails. */
async function download(packageDir: string, inPackage: string): Promise<boolean> {
  const { MEDIASOUP_WORKER_BIN: _, ...env } = process.env;
  await step('looking for a prebuilt mediasoup worker', () =>
    exec(node24, ['npm-scripts.mjs', 'postinstall'], {
      cwd: packageDir,
      env: { ...env, PYTHON: 'false' },
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
      allowFailure: true,
    }),
  );
  return runs(inPackage);
}

async function build(packageDir: string, version: string, target: string): Promise<void> {
  await ensurePackages(BUILD_PACKAGES, 'building the mediasoup worker');
  const dir = dirname(target);
  const buildDir = join(dir, 'build');
  rmSync(buildDir, { recursive: true, force: true });
  mkdirSync(buildDir, { recursive: true });
  await step(
    `building the mediasoup worker ${version}, once, into ${dir} (about 2 minutes on 2 cores)`,
    async (note) => {
      const options = { timeoutMs: BUILD_TIMEOUT_MS };
      await exec(
        'cmake',
        [
          '-G',
          'Ninja',
          '-S',
          inRoot('tools/mediasoup-worker'),
          '-B',
          buildDir,
          `-DWORKER=${join(packageDir, 'worker')}`,
        ],
        options,
      );
      let shown = 0;
      await exec('ninja', ['-C', buildDir, '-j', String(cpus().length)], {
        ...options,
        onLine: (line) => {
          const [, done, of] = /^\[(\d+)\/(\d+)\]/.exec(line) ?? [];
          const tenth = Math.floor((10 * Number(done ?? 0)) / Number(of ?? 1));
          if (tenth > shown) {
            shown = tenth;
            note(`${done} of ${of} files`);
          }
        },
      });
    },
  );
  const built = join(buildDir, 'mediasoup-worker');
  if (!runs(built)) throw new UserError(`the mediasoup worker was built but does not run: ${built}`);
  copyFileSync(built, `${target}.new`);
  chmodSync(`${target}.new`, 0o755);
  renameSync(`${target}.new`, target); // atomic, because another process may look for it concurrently
  rmSync(buildDir, { recursive: true, force: true });
}
