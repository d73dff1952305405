/**
 * `npm test`: everything that proves the project works, from a fresh clone. Sets itself up like `npm start`, then runs the
 * checks of `npm run verify` and every test: unit, on a real database, and end to end with real calls and a real browser.
 * The last line sums them all: `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensurePackages } from './lib/debian.mjs';
import { watchHost } from './lib/host-load.mjs';
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
/** Of the processor time a file wants: above it, real time is not to be had. */
const MAX_STOLEN_SHARE = 0.03;

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
    results.push(await runTests(project, env));
  }

  const sum = (key) => results.reduce((total, result) => total + (result[key] ?? 0), 0);
  const skipped = sum('skipped');
  say(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return sum('failed') === 0 ? 0 : 1;
}

/**
 * One kind of tests, its progress on the terminal. A file that fails while the host takes processor time away is run once more, and
 * that is said: what it measured was the host.
 */
async function runTests(project, env) {
  const host = watchHost();
  try {
    const first = await runVitest(project, env);
    const robbed = first.files.filter(
      ({ failed, from, to }) => failed > 0 && host.stolenShare(from, to) > MAX_STOLEN_SHARE,
    );
    if (robbed.length === 0) return sumUp(project, first.files, first.code);
    for (const { name, from, to } of robbed) {
      const percent = Math.round(host.stolenShare(from, to) * 100);
      say(colour.yellow(`${name} failed while the host took ${percent} % of the CPU time: running it again`));
    }
    const second = await runVitest(
      project,
      env,
      robbed.map(({ name }) => name),
    );
    const again = new Set(second.files.map(({ name }) => name));
    const files = [...first.files.filter(({ name }) => !again.has(name)), ...second.files];
    return sumUp(project, files, files.some(({ failed }) => failed > 0) ? 1 : second.code);
  } finally {
    host.stop();
  }
}

/** What the JSON report says of each file, and the status that vitest ended with. */
async function runVitest(project, env, names = []) {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-test-'));
  const report = join(dir, 'report.json');
  const projects = PROJECTS[project].flatMap((name) => ['--project', name]);
  const args = ['run', ...projects, '--passWithNoTests', ...names];
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
          colour.red(
            `${project} did not finish within ${PROJECT_TIMEOUT_MS[project] / 60_000} minutes: stopping it`,
          ),
        );
        vitest.kill('SIGKILL');
      }, PROJECT_TIMEOUT_MS[project]);
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

/** No file where vitest did not come to its end. */
function readReport(report) {
  let json;
  try {
    json = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return [];
  }
  return json.testResults.map(({ name, startTime, endTime, status, assertionResults: tests }) => {
    const count = (...states) => tests.filter((test) => states.includes(test.status)).length;
    return {
      name: relative(root, name),
      from: startTime,
      to: endTime,
      passed: count('passed'),
      // A file that does not load fails without a failed test.
      failed: count('failed') || (status === 'failed' ? 1 : 0),
      skipped: count('pending', 'skipped', 'todo'),
    };
  });
}

function sumUp(project, files, code) {
  const sum = (key) => files.reduce((total, file) => total + file[key], 0);
  const [passed, skipped] = [sum('passed'), sum('skipped')];
  // An error outside any test, a crash: vitest fails without a failed test.
  const failed = sum('failed') || (code === 0 ? 0 : 1);
  say(`${project}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return { passed, failed, skipped };
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
main().then((code) => process.exit(code), exitWith);
