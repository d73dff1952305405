import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../settings/free-port.ts';
import { answers } from './probes.ts';
import { supervise } from './supervise.ts';
import type { SupervisedProcess } from './supervise.ts';

const CHILD = resolve(import.meta.dirname, '../program/child.ts');

/** A program that responds with its pid and prints "goodbye" on SIGTERM. */
const PROGRAM = `
  import { createServer } from 'node:http';
  const server = createServer((_, response) => response.end(String(process.pid))).listen(Number(process.argv[2]), '127.0.0.1');
  process.once('SIGTERM', () => { console.log('goodbye'); server.close(); process.exit(0); });
`;

let dir: string;
let port: number;
let lines: string[];
let supervised: SupervisedProcess | undefined;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clarion-supervise-'));
  port = await freePort();
  lines = [];
});
afterEach(async () => {
  await supervised?.stop();
  supervised = undefined;
  rmSync(dir, { recursive: true });
});

function startProgram(source: string): SupervisedProcess {
  const entry = join(dir, 'program.mjs');
  writeFileSync(entry, source);
  supervised = supervise(
    {
      name: 'program',
      command: process.execPath,
      args: [CHILD, entry, String(port)],
      cwd: dir,
      env: process.env,
      healthy: () => answers(`http://127.0.0.1:${port}/`),
    },
    { onLine: (_, line) => lines.push(line) },
  );
  return supervised;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a process that was taken down stays down until it is brought up', async () => {
  const program = startProgram(PROGRAM);
  await program.waitHealthy();
  await program.takeDown();
  await setTimeout(1_000); // longer than a restart takes
  expect(program.pid).toBeUndefined();
  program.bringUp();
  await program.waitHealthy();
  expect(program.pid).toBeDefined();
});

test('a killed process is replaced within a second, and a line reports it', async () => {
  const program = startProgram(PROGRAM);
  await program.waitHealthy();
  const first = program.pid;
  await program.kill('SIGKILL');
  const replaced = () => program.pid !== undefined && program.pid !== first;
  await expect.poll(replaced, { timeout: 1_000, interval: 10 }).toBe(true);
  await program.waitHealthy();
  expect(program.restarts).toBe(1);
  expect(lines.join('\n')).toMatch(/exited with SIGKILL; restarting it in 0.2 s/);
});

test('a process that keeps exiting is restarted with increasing delays', async () => {
  startProgram('process.exit(3);');
  await expect
    .poll(() => lines.filter((line) => line.includes('exited with code 3')).length, { timeout: 10_000 })
    .toBe(3);
  expect(lines.map((line) => /restarting it in (.*) s/.exec(line)?.[1])).toEqual(['0.2', '0.4', '0.8']);
});

test('a process that was healthy is always restarted immediately, however often it is killed', async () => {
  const program = startProgram(PROGRAM);
  for (let round = 0; round < 4; round += 1) {
    await program.waitHealthy();
    await program.kill('SIGKILL');
  }
  await program.waitHealthy();
  expect(lines.map((line) => /restarting it in (.*) s/.exec(line)?.[1])).toEqual([
    '0.2',
    '0.2',
    '0.2',
    '0.2',
  ]);
});

test('waiting for a process that cannot start rejects with the reason', async () => {
  const program = startProgram(`console.error('the settings are wrong'); process.exit(1);`);
  await expect(program.waitHealthy()).rejects.toThrow(
    /program keeps exiting before it is ready:[^]*the settings are wrong/,
  );
});

test('a stopped process can shut down cleanly and is not restarted', async () => {
  const program = startProgram(PROGRAM);
  await program.waitHealthy();
  const pid = program.pid ?? 0;
  await program.stop();
  expect(isAlive(pid)).toBe(false);
  expect(lines).toEqual(['goodbye']);
  expect(program.pid).toBeUndefined();
});

/** Starts a program under a parent that is then killed; resolves with the program's pid. */
async function orphan(source: string): Promise<number> {
  const entry = join(dir, 'program.mjs');
  writeFileSync(entry, source);
  const parentSource = `
    import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, ${JSON.stringify([CHILD, entry, String(port)])}, { stdio: 'pipe', detached: true });
    console.log(child.pid);
    setInterval(() => {}, 1000);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', parentSource], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
  await expect.poll(() => answers(`http://127.0.0.1:${port}/`), { timeout: 10_000 }).toBe(true);
  parent.kill('SIGKILL');
  return Number(printed.toString());
}

test('a program receives SIGTERM when the process that started it is killed', async () => {
  const farewell = join(dir, 'farewell');
  const pid = await orphan(`
    import { writeFileSync } from 'node:fs';
    process.once('SIGTERM', () => { writeFileSync(${JSON.stringify(farewell)}, ''); process.exit(0); });
    ${PROGRAM.replace("process.once('SIGTERM'", "process.once('SIGUSR2'")}
  `);
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  expect(existsSync(farewell)).toBe(true);
});

test('a program also receives it when it is blocked writing log lines that no process reads any more', async () => {
  const pid = await orphan(`
    import pino from ${JSON.stringify(import.meta.resolve('pino'))};
    const log = pino();
    setInterval(() => log.info('still here'), 5);
    ${PROGRAM}
  `);
  await expect.poll(() => isAlive(pid), { timeout: 9_000 }).toBe(false); // before it would be killed, after 10 s
});
