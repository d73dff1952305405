/** Runs vitest for `npm test` and says what became of each file. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { watchHost } from './host-load.mjs';
import { colour, say } from './log.mjs';
import { inRoot, node24, root } from './paths.mjs';

/** Of the processor time a file wants. 1 % is 100 ms in ten seconds: more than a jitter buffer holds. */
const MAX_STOLEN_SHARE = 0.01;

/**
 * @typedef {object} Run
 * @property {string} name as the sum calls it
 * @property {string[]} projects of vitest.config.ts
 * @property {string[]} [args] names of files; default: all of the projects
 * @property {number} timeoutMs of the whole: only a hang takes longer
 */

/**
 * One kind of tests, its progress on the terminal. A file that fails while the host takes processor time away is run once more, and
 * that is said: what it measured was the host.
 *
 * @param {Run} run
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ passed: number, failed: number, skipped: number, files: import('./file-reporter.mjs').FileResult[] }>}
 */
export async function runTests(run, env) {
  const host = watchHost();
  try {
    const first = await runVitest(run, env);
    const robbed = first.files.filter(
      ({ failed, from, to }) => failed > 0 && host.stolenShare(from, to) > MAX_STOLEN_SHARE,
    );
    if (robbed.length === 0) return sumUp(run.name, first.files, first.code);
    for (const { name, from, to } of robbed) {
      const percent = Math.round(host.stolenShare(from, to) * 100);
      say(colour.yellow(`${name} failed while the host took ${percent} % of the processor time: once more`));
    }
    const second = await runVitest({ ...run, args: robbed.map(({ name }) => name) }, env);
    const again = new Set(second.files.map(({ name }) => name));
    const files = [...first.files.filter(({ name }) => !again.has(name)), ...second.files];
    return sumUp(run.name, files, files.some(({ failed }) => failed > 0) ? 1 : second.code);
  } finally {
    host.stop();
  }
}

/** What became of each file that came to its end, and the status that vitest ended with. */
async function runVitest({ name, projects, args = [], timeoutMs }, env) {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-test-'));
  const report = join(dir, 'files.jsonl');
  const command = [
    inRoot('node_modules/vitest/vitest.mjs'),
    ...['run', '--passWithNoTests', ...projects.flatMap((project) => ['--project', project]), ...args],
    ...['--reporter=default', `--reporter=${inRoot('scripts/lib/file-reporter.mjs')}`],
  ];
  try {
    const code = await new Promise((resolve, reject) => {
      const vitest = spawn(node24, command, {
        cwd: root,
        env: { ...env, CLARION_TEST_REPORT: report },
        stdio: ['ignore', 'inherit', 'inherit'],
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

function readReport(report) {
  if (!existsSync(report)) return [];
  const lines = readFileSync(report, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).map((file) => ({ ...file, name: relative(root, file.name) }));
}

function sumUp(name, files, code) {
  const sum = (key) => files.reduce((total, file) => total + file[key], 0);
  const [passed, skipped] = [sum('passed'), sum('skipped')];
  // An error outside any test, a crash: vitest fails without a failed test.
  const failed = sum('failed') || (code === 0 ? 0 : 1);
  say(`${name}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return { passed, failed, skipped, files };
}

/** The files that took longest, with their set-up: where time can be saved. */
export function saySlowest(files, count) {
  const slowest = files.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, count);
  if (slowest.length === 0) return;
  say('\nSlowest files:');
  for (const { name, from, to } of slowest) say(`${((to - from) / 1000).toFixed(1).padStart(7)} s  ${name}`);
}
