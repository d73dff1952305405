import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';

const RUN = resolve(import.meta.dirname, 'run.mjs');
const SAME_REQUEST_MS = 200; // see run.mjs

/** Prints its pid, its arguments and every signal that it receives; exits at the second one. */
const PROGRAM = `
  const args: string[] = process.argv.slice(2);
  let signals = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => { console.log(signal); signals += 1; if (signals === 2) process.exit(7); });
  setInterval(() => undefined, 1000);
  console.log(process.pid, ...args);
`;

let dir: string;
let outer: ChildProcess;
let output: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clarion-run-'));
});
afterEach(() => {
  outer.kill('SIGKILL');
  rmSync(dir, { recursive: true });
});

/** Starts a program through run.mjs, without a terminal. */
function start(source: string, ...args: string[]): void {
  const entry = join(dir, 'program.ts');
  writeFileSync(entry, source);
  output = '';
  outer = spawn(process.execPath, [RUN, entry, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  outer.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
}

/** The pid of PROGRAM, once it runs. */
async function pidOfProgram(): Promise<number> {
  await expect.poll(() => output).toMatch(/^\d+/);
  return Number.parseInt(output, 10);
}

const exit = async () => {
  const [code] = (await once(outer, 'exit')) as [number | null];
  return code;
};
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('arguments, output and the exit code are passed through', async () => {
  start(
    "console.log(process.version.split('.')[0], process.argv.slice(2).join()); process.exit(3);",
    'a',
    '--b',
  );
  expect(await exit()).toBe(3);
  expect(output).toBe('v24 a,--b\n');
});

test('a program that was killed by a signal gives the same exit code as in a shell', async () => {
  start("process.kill(process.pid, 'SIGKILL');");
  expect(await exit()).toBe(128 + 9);
});

test('each Ctrl-C reaches the program exactly once, however often it is passed on', async () => {
  start(PROGRAM);
  await pidOfProgram();
  outer.kill('SIGINT');
  outer.kill('SIGINT'); // as npm does after the terminal
  await expect.poll(() => output).toContain('SIGINT');
  await sleep(2 * SAME_REQUEST_MS);
  expect(output.match(/SIGINT/g)).toHaveLength(1);
  outer.kill('SIGINT');
  expect(await exit()).toBe(7);
});

test('SIGTERM reaches the program', async () => {
  start(PROGRAM);
  await pidOfProgram();
  outer.kill('SIGTERM');
  await expect.poll(() => output).toContain('SIGTERM');
  outer.kill('SIGKILL');
});

test('when run.mjs is killed, the program receives SIGTERM', async () => {
  start('console.log(process.pid); setInterval(() => undefined, 1000);');
  const pid = await pidOfProgram();
  outer.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
});
