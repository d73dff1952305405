/** Runs vitest for `npm test` and reports the result of each file. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { inRoot, node24, root } from '../paths.ts';
import { colour, say } from '../terminal/log.ts';
import type { FileResult } from './file-reporter.ts';
import { watchHost } from './host-load.ts';

/** Share of the processor time that a file wants. 1 % is 100 ms in ten seconds, more than the depth of a jitter buffer. */
const MAX_STOLEN_SHARE = 0.01;
/** The file descriptor by which vitest notices that this process has exited. */
const PARENT_FD = 3;

export interface Run {
  /** Its name in the summary. */
  name: string;
  /** Projects of vitest.config.ts. */
  projects: string[];
  /** Names of files; default: all files of the projects. */
  args?: string[];
  /** Limit for the whole run, which only a hang exceeds. */
  timeoutMs: number;
}

export interface RunResult {
  passed: number;
  failed: number;
  skipped: number;
  files: FileResult[];
}

/**
 * Runs one kind of tests, with progress on the terminal. Files that fail while the host steals processor time are run a second time,
 * which is reported, because their failure may be caused by the host.
 */
export async function runTests(run: Run, env: NodeJS.ProcessEnv): Promise<RunResult> {
  const host = watchHost();
  try {
    const first = await runVitest(run, env);
    const disturbed = first.files.filter(
      ({ failed, from, to }) => failed > 0 && host.stolenShare(from, to) > MAX_STOLEN_SHARE,
    );
    if (disturbed.length === 0) return summarise(run.name, first.files, first.code);
    for (const { name, from, to } of disturbed) {
      const percent = Math.round(host.stolenShare(from, to) * 100);
      say(
        colour.yellow(
          `${name} failed while the host took ${percent} % of the processor time: running it again`,
        ),
      );
    }
    const second = await runVitest({ ...run, args: disturbed.map(({ name }) => name) }, env);
    const repeated = new Set(second.files.map(({ name }) => name));
    const files = [...first.files.filter(({ name }) => !repeated.has(name)), ...second.files];
    return summarise(run.name, files, files.some(({ failed }) => failed > 0) ? 1 : second.code);
  } finally {
    host.stop();
  }
}

interface VitestResult {
  code: number;
  /** The files that finished. */
  files: FileResult[];
}

async function runVitest(
  { name, projects, args = [], timeoutMs }: Run,
  env: NodeJS.ProcessEnv,
): Promise<VitestResult> {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-test-'));
  const report = join(dir, 'files.jsonl');
  const command = [
    inRoot('packages/devkit/src/program/child.ts'),
    `--parent-fd=${PARENT_FD}`,
    inRoot('node_modules/vitest/vitest.mjs'),
    ...['run', '--passWithNoTests', ...projects.flatMap((project) => ['--project', project]), ...args],
    ...['--reporter=default', `--reporter=${inRoot('packages/devkit/src/test-run/file-reporter.ts')}`],
  ];
  try {
    const code = await new Promise<number>((resolve, reject) => {
      const vitest = spawn(node24, command, {
        cwd: root,
        env: { ...env, CLARION_TEST_REPORT: report },
        stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      });
      const timer = setTimeout(() => {
        say(colour.red(`${name} has not ended in ${timeoutMs / 60_000} minutes: stopped`));
        vitest.kill('SIGKILL');
      }, timeoutMs);
      vitest.once('error', reject);
      vitest.once('exit', (status) => {
        clearTimeout(timer);
        resolve(status ?? 1);
      });
    });
    return { code, files: readReport(report) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function readReport(report: string): FileResult[] {
  if (!existsSync(report)) return [];
  const lines = readFileSync(report, 'utf8').trimEnd().split('\n');
  return lines
    .map((line) => JSON.parse(line) as FileResult)
    .map((file) => ({ ...file, name: relative(root, file.name) }));
}

function summarise(name: string, files: FileResult[], code: number): RunResult {
  const sum = (key: 'passed' | 'failed' | 'skipped') => files.reduce((total, file) => total + file[key], 0);
  const [passed, skipped] = [sum('passed'), sum('skipped')];
  // After an error outside any test, such as a crash, vitest fails without a failed test.
  const failed = sum('failed') || (code === 0 ? 0 : 1);
  say(`${name}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return { passed, failed, skipped, files };
}

/** Prints the slowest files, including their set-up, to show where time can be saved. */
export function saySlowest(files: FileResult[], count: number): void {
  const slowest = files.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, count);
  if (slowest.length === 0) return;
  say('\nSlowest files:');
  for (const { name, from, to } of slowest) say(`${((to - from) / 1000).toFixed(1).padStart(7)} s  ${name}`);
}

/** Prints every failed test again, so that the end of a long log is enough to see what failed. */
export function sayFailures(files: FileResult[]): void {
  for (const { name, failures } of files) {
    for (const { test, message } of failures) {
      say(`\n${colour.red('✗')} ${name}${test ? ` > ${test}` : ''}`);
      say(message.replaceAll(/^/gm, '    '));
    }
  }
}
