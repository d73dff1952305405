/** Installs the npm packages when they are missing or out of date. Plain JavaScript for Node 20: it runs before anything is installed. */
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** From the npm package `node`. */
export const node24 = join(root, 'node_modules/.bin/node');

const INSTALL_TIMEOUT_MS = 20 * 60_000;
const PROGRESS_EVERY_MS = 20_000;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const INTERRUPTED = 130; // the exit code of a shell's command after Ctrl-C
const LOCK_POLL_MS = 500;
/** The owner of a lock touches it this often; a lock that has not been touched for longer belongs to a process that was killed. */
const LOCK_TOUCH_MS = 1_000;
const LOCK_STALE_MS = 15_000;
const LOCK_OWNER = `${process.pid} ${randomUUID()}`;

/** Any existing file keeps the install steps of mediasoup and Prisma from downloading binaries. */
const NO_DOWNLOADS = {
  MEDIASOUP_WORKER_BIN: process.execPath,
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
};

/** Writes to standard error, because standard output belongs to the program that runs afterwards. */
const say = (line) => process.stderr.write(`${line}\n`);

export async function ensureInstalled() {
  if (isInstalled()) return;
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'clarion');
  const clone = createHash('sha256').update(root).digest('hex').slice(0, 12);
  await withLock(join(cache, `install-${clone}.lock`), async () => {
    if (!isInstalled()) await install();
  });
}

/**
 * Whether node_modules matches package-lock.json. npm writes a copy of the lock file to node_modules when an install is complete: both
 * must contain the same versions, and every workspace must be linked.
 */
function isInstalled() {
  const installedFile = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installedFile) || !existsSync(node24)) return false;
  const wanted = wantedPackages();
  if (wanted === undefined) return true;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, link, optional }]) => {
    if (!path.startsWith('node_modules/')) return true;
    if (link) return existsSync(join(root, path));
    return installed[path]?.version === version || (optional && !installed[path]);
  });
}

/** Undefined without a readable lock file: what is installed then serves to repair it. */
function wantedPackages() {
  try {
    return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  } catch (error) {
    say(`package-lock.json cannot be read (npm run lock repairs it): ${error.message}`);
    return undefined;
  }
}

async function install() {
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  say('… installing packages');
  const progress = setInterval(() => say(`… installing packages: ${seconds()} so far`), PROGRESS_EVERY_MS);
  try {
    const exact = await npm('ci');
    if (exact.code !== 0 && exact.output.includes('EUSAGE')) {
      say('  package-lock.json does not match package.json (npm run lock fixes this): installing without it');
      const loose = await npm('install', '--no-package-lock');
      if (loose.code !== 0) throw new Error(`npm install failed:\n${loose.output.trimEnd()}`);
    } else if (exact.code !== 0) throw new Error(`npm ci failed:\n${exact.output.trimEnd()}`);
    say(`✓ installing packages (${seconds()})`);
  } finally {
    clearInterval(progress);
  }
}

/** Runs the npm that started this process, or the one in PATH. */
function npm(...args) {
  const path = process.env.npm_execpath;
  const [command, ...first] = path?.endsWith('.js') ? [process.execPath, path] : ['npm'];
  const child = spawn(command, [...first, ...args, '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: root,
    env: { ...process.env, ...NO_DOWNLOADS },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // in a separate group, so that its descendants can be ended with it
  });
  let output = '';
  const end = () => endGroup(child.pid);
  const exit = () => process.exit(INTERRUPTED);
  const timer = setTimeout(() => {
    output += `\n(timed out after ${INSTALL_TIMEOUT_MS / 60_000} minutes)`;
    end();
  }, INSTALL_TIMEOUT_MS);
  process.once('exit', end);
  STOP_SIGNALS.forEach((signal) => process.on(signal, exit));
  const take = (chunk) => (output += chunk);
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, output }));
  }).finally(() => {
    clearTimeout(timer);
    process.off('exit', end);
    STOP_SIGNALS.forEach((signal) => process.off(signal, exit));
  });
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has exited in the meantime
  }
}

/** One process at a time; the others wait until it is done or has been killed. */
async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  let announced = false;
  while (!acquire(path)) {
    if (!announced) say('waiting for another process that is installing packages');
    announced = true;
    await sleep(LOCK_POLL_MS);
  }
  const touch = setInterval(() => ownsLock(path) && utimesSync(path, new Date(), new Date()), LOCK_TOUCH_MS);
  const release = () => ownsLock(path) && rmSync(path, { force: true });
  process.once('exit', release);
  try {
    await work();
  } finally {
    clearInterval(touch);
    process.off('exit', release);
    release();
  }
}

/** False after another process has taken the lock over, or when the file was removed. */
const ownsLock = (path) => existsSync(path) && readFileSync(path, 'utf8') === LOCK_OWNER;

function acquire(path) {
  try {
    writeFileSync(path, LOCK_OWNER, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const touchedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - touchedAt > LOCK_STALE_MS) rmSync(path, { force: true });
  return false;
}
