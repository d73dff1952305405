import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase } from '@clarion/db/testing';
import { freeStackPorts, PORTS } from '@clarion/devkit/settings/ports';
import { runningStack } from '@clarion/devkit/stack/claim';
import { answers } from '@clarion/devkit/stack/probes';
import { startStack, type Stack } from '@clarion/devkit/stack/stack';

const START = [resolve(import.meta.dirname, 'run.mjs'), 'scripts/start.ts'];
const READY = 'Clarion is running.';
const END_OF_BANNER = '/docs';
/** Includes creating a database, on a busy machine. */
const START_TIMEOUT_MS = 90_000;
/** Each process has 12 s to exit by itself. */
const GONE_TIMEOUT_MS = 30_000;
const RTP_PORTS = '38000-38199'; // above those of stacks that other test files boot concurrently

interface Copy {
  process: ChildProcess;
  dataDir: string;
  baseUrl: string;
  output: () => string;
}

const dirs: string[] = [];
const copies: Copy[] = [];

afterAll(async () => {
  for (const { process } of copies) process.kill('SIGKILL');
  for (const dir of dirs) {
    await vi.waitFor(() => expect(processesOf(dir)).toEqual([]), GONE_TIMEOUT_MS);
    rmSync(dir, { recursive: true, force: true });
  }
});

function newDataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-start-'));
  dirs.push(dir);
  return dir;
}

/** Runs `npm start` on free ports. Resolves when the banner has been printed or the process has exited. */
async function start(dataDir: string, env: Record<string, string> = {}): Promise<Copy> {
  const chosen: Record<string, number> = await freeStackPorts();
  const settings = Object.entries(PORTS).map(([name, { variable }]) => [variable, String(chosen[name])]);
  const child = spawn(process.execPath, START, {
    env: {
      ...process.env,
      ...Object.fromEntries(settings),
      CLARION_DATA_DIR: dataDir,
      CLARION_RTP_PORTS: RTP_PORTS,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const copy = {
    process: child,
    dataDir,
    baseUrl: `http://127.0.0.1:${chosen['web']}`,
    output: () => output,
  };
  copies.push(copy);
  await new Promise<void>((done) => {
    const take = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(END_OF_BANNER)) done();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', () => done());
  });
  return copy;
}

/** Every process that was started for a data directory, by its environment or its arguments (PostgreSQL), except this one. */
function processesOf(dataDir: string): string[] {
  const read = (file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return ''; // it has exited in the meantime
    }
  };
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      const cmdline = read(`/proc/${pid}/cmdline`);
      return cmdline && (cmdline.includes(dataDir) || read(`/proc/${pid}/environ`).includes(dataDir));
    })
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

const isServing = ({ baseUrl }: Copy) => answers(`${baseUrl}/healthz`);

/** The tests share two copies, because starting one is slow: the second copy is killed, the first one stopped. */
describe('two copies side by side', () => {
  let first: Copy;
  let second: Copy;

  test(
    'a second copy can run on other ports, but not on the same data directory',
    async () => {
      first = await start(newDataDir());
      second = await start(newDataDir(), { CLARION_DEMO_HISTORY: '0' }); // the first copy has it, and creating it takes seconds
      expect([await isServing(first), await isServing(second)]).toEqual([true, true]);
      expect(runningStack(first.dataDir)?.env['DATABASE_URL']).not.toBe(
        runningStack(second.dataDir)?.env['DATABASE_URL'],
      );

      const third = await start(first.dataDir);
      expect(third.process.exitCode).toBe(1);
      expect(third.output()).toContain('already running with the data directory');
      expect(await isServing(first)).toBe(true);
    },
    3 * START_TIMEOUT_MS,
  );

  test('secrets in the data directory are readable only by their owner', () => {
    const readable = ['secrets.json', 'stack.json', 'demo.json'].filter(
      (file) => statSync(join(first.dataDir, file)).mode & 0o077,
    );
    expect(readable).toEqual([]);
  });

  test(
    'after SIGKILL no process is left behind, and a restart finds the same data',
    async () => {
      const { dataDir } = second;
      const apiKey = () =>
        (JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as { apiKey: string }).apiKey;
      const demoKey = apiKey();
      second.process.kill('SIGKILL');
      await expect.poll(() => processesOf(dataDir), { timeout: GONE_TIMEOUT_MS }).toEqual([]);

      const again = await start(dataDir);
      expect(again.output()).toContain(READY);
      expect(await isServing(again)).toBe(true);
      expect(apiKey()).toBe(demoKey);
    },
    START_TIMEOUT_MS + GONE_TIMEOUT_MS,
  );

  test(
    'Ctrl-C stops all processes in order and leaves none behind',
    async () => {
      expect(first.output()).toContain(`${first.baseUrl}/demo`);
      expect(first.output()).toContain('trial');
      const [, customerPage = ''] = /WhatsApp customer +(http:\S+)/.exec(first.output()) ?? [];
      expect(await answers(customerPage)).toBe(true);
      expect(await isServing(first)).toBe(true);
      expect(processesOf(first.dataDir).length).toBeGreaterThan(5);
      const exited = once(first.process, 'exit');
      first.process.kill('SIGINT');
      const [code] = await exited;
      expect(code).toBe(0);
      expect(first.output()).toContain('Clarion has stopped.');
      expect(processesOf(first.dataDir)).toEqual([]);
      expect(existsSync(join(first.dataDir, 'stack.json'))).toBe(false);
    },
    GONE_TIMEOUT_MS,
  );
});

test(
  'with DATABASE_URL and DRACHTIO_HOST set, the external servers are used and no embedded ones are started',
  async () => {
    const outside = await createTestDatabase();
    const server = await startStack({
      dataDir: newDataDir(),
      ports: await freeStackPorts(),
      only: ['sip'],
      onLine: () => {},
    });
    let stack: Stack | undefined;
    try {
      const dataDir = newDataDir();
      stack = await startStack({
        dataDir,
        ports: await freeStackPorts(),
        env: {
          ...process.env,
          DATABASE_URL: outside.url,
          DRACHTIO_HOST: '127.0.0.1',
          DRACHTIO_PORT: String(server.ports.sipControl),
          DRACHTIO_SECRET: server.env['CLARION_SIP_SECRET'],
          CLARION_RTP_PORTS: RTP_PORTS,
        },
        onLine: () => {},
      });
      expect(Object.keys(stack.processes).toSorted()).toEqual(['media', 'realtime', 'web', 'worker']);
      expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
      expect(stack.mode.production).toBe(false);
      const ready = await fetch(`http://127.0.0.1:${stack.ports.media}/readyz`);
      expect([ready.status, await ready.text()]).toEqual([200, expect.any(String)]);
    } finally {
      await stack?.stop();
      await server.stop();
      await outside.drop();
    }
  },
  2 * START_TIMEOUT_MS,
);
