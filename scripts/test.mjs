/**
 * `npm test`: everything that proves the project works, from a fresh clone. Sets itself up like `npm start`, then runs the
 * checks of `npm run verify` and every test: unit, on a real database, and end to end with real calls and a real browser.
 * The last line sums them all: `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from './lib/debian.mjs';
import { prepare, toolEnv } from './lib/install.mjs';
import { colour, exitWith, say } from './lib/log.mjs';
import { ensureMediasoupWorker } from './lib/mediasoup-worker.mjs';
import { cacheDir, inRoot, node24, root } from './lib/paths.mjs';
import { verify } from './verify.mjs';

/** A browser for the agents and a SIP caller with sound for the customers. */
const TEST_PACKAGES = ['chromium', 'sip-tester'];
/** By what is asked for, the projects of vitest.config.ts. */
const PROJECTS = { unit: ['unit'], db: ['db'], e2e: ['e2e', 'e2e-quiet'] };
/** Of one of them as a whole: only a hang takes longer. */
const PROJECT_TIMEOUT_MS = { unit: 10 * 60_000, db: 10 * 60_000, e2e: 30 * 60_000 };

const heading = (text) => say(`\n${colour.bold(`── ${text} `.padEnd(80, '─'))}\n`);

async function main() {
  const only = process.argv.slice(2);
  const wants = (name) => only.length === 0 || only.includes(name);

  heading('Set-up');
  await prepare({ build: wants('e2e') ? undefined : [] });
  // A stack's processes start some thirty times: the cache compiles their modules only once.
  const env = toolEnv({ NODE_COMPILE_CACHE: join(cacheDir, 'compile') });
  if (wants('unit') || wants('e2e')) {
    await ensurePackages(TEST_PACKAGES, 'the tests');
    env.MEDIASOUP_WORKER_BIN = await ensureMediasoupWorker();
  }
  say('everything is in place');

  const results = [];
  if (wants('verify')) {
    heading('Format, lint, types, documents');
    results.push(await verify());
  }
  for (const project of Object.keys(PROJECT_TIMEOUT_MS).filter(wants)) {
    heading(`Tests: ${project}`);
    results.push(await runVitest(project, env));
  }

  const sum = (key) => results.reduce((total, result) => total + (result[key] ?? 0), 0);
  const skipped = sum('skipped');
  say(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return sum('failed') === 0 ? 0 : 1;
}

/** One kind of tests, its progress on the terminal and its sums from the JSON report. */
async function runVitest(project, env) {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-test-'));
  const report = join(dir, 'report.json');
  const projects = PROJECTS[project].flatMap((name) => ['--project', name]);
  const args = ['run', ...projects, '--passWithNoTests'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const code = await new Promise((resolve, reject) => {
      const vitest = spawn(node24, [inRoot('node_modules/vitest/vitest.mjs'), ...args, ...reporters], {
        cwd: root,
        env,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const timer = setTimeout(() => {
        say(
          colour.red(`${project} has not ended in ${PROJECT_TIMEOUT_MS[project] / 60_000} minutes: stopped`),
        );
        vitest.kill('SIGKILL');
      }, PROJECT_TIMEOUT_MS[project]);
      vitest.once('error', reject);
      vitest.once('exit', (status) => {
        clearTimeout(timer);
        resolve(status ?? 1);
      });
    });
    return sumUp(project, report, code);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function sumUp(project, report, code) {
  let json;
  try {
    json = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    json = { numPassedTests: 0, numFailedTests: 0 };
  }
  const passed = json.numPassedTests;
  const skipped = (json.numPendingTests ?? 0) + (json.numTodoTests ?? 0);
  // A file that does not load, an error outside any test, a crash: vitest fails without a failed test.
  const failed = code !== 0 && json.numFailedTests === 0 ? 1 : json.numFailedTests;
  say(`${project}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return { passed, failed, skipped };
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
main().then((code) => process.exit(code), exitWith);
