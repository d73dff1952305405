/**
 * Runs a TypeScript program on Node 24 in this terminal: `node scripts/run.mjs <entry.ts> [args…]`. Requires only Node 20 or later: it
 * first installs the packages, one of which is Node 24.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureInstalled, node24, root } from './install.mjs';

/** Ends the program when this process ends for any reason, by means of a pipe on this file descriptor. */
const CHILD = join(root, 'packages/devkit/src/program/child.ts');
const PARENT_FD = 3;

/**
 * At a terminal, the program stays in this process group, so that it can read the terminal and Ctrl-C reaches it directly. Otherwise it
 * gets a separate group, and this process passes on the signals that a terminal would have sent.
 */
const atTerminal = process.stdin.isTTY === true;
const TERMINAL_SIGNALS = ['SIGINT', 'SIGHUP'];
/** npm passes on a signal that the whole group, and so this process, has already received. */
const SAME_REQUEST_MS = 200;

function run([entry = '', ...args]) {
  const child = spawn(node24, [CHILD, `--parent-fd=${PARENT_FD}`, resolve(root, entry), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    detached: !atTerminal,
  });
  for (const signal of TERMINAL_SIGNALS) {
    process.on(signal, atTerminal ? () => undefined : oncePerRequest(() => kill(-child.pid, signal)));
  }
  process.on(
    'SIGTERM',
    oncePerRequest(() => kill(child.pid, 'SIGTERM')),
  );
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => done(code ?? 128 + constants.signals[signal]));
  });
}

function oncePerRequest(work) {
  let last = -Infinity;
  return () => {
    const now = performance.now();
    if (now - last > SAME_REQUEST_MS) work();
    last = now;
  };
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // it has exited in the meantime
  }
}

try {
  await ensureInstalled();
  process.exit(await run(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`\n${error.message}\n`);
  process.exit(1);
}
