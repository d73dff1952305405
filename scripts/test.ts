/**
 * `npm test`: runs all checks and tests, even in a fresh clone. Prepares like `npm start`, then runs the checks of `npm run verify` and
 * every test: unit tests, tests on a real database, and end-to-end tests with real calls and a real browser.
 * `npm test -- unit` runs one part; `npm test -- quick` runs for at most three minutes and needs no browser.
 * The last line is the total: `N passed, N failed`.
 */
import { join } from 'node:path';
import { verify } from '@clarion/devkit/checks/verify';
import { cacheDir } from '@clarion/devkit/paths';
import { ensureMediasoupWorker } from '@clarion/devkit/prepare/mediasoup-worker';
import { prepare } from '@clarion/devkit/prepare/prepare';
import { toolEnv } from '@clarion/devkit/prepare/tool-env';
import { ensurePackages } from '@clarion/devkit/system/debian';
import { colour, exitWith, say } from '@clarion/devkit/terminal/log';
import {
  runTests,
  sayFailures,
  saySlowest,
  type Run,
  type RunResult,
} from '@clarion/devkit/test-run/run-vitest';

/** A browser for the agents, and SIPp as the phone of customers. */
const TEST_PACKAGES = ['chromium-headless-shell', 'sip-tester'];
const MINUTE_MS = 60_000;
const RUNS: Run[] = [
  { name: 'unit', projects: ['unit', 'unit-media', 'unit-slow'], timeoutMs: 10 * MINUTE_MS },
  { name: 'db', projects: ['db', 'db-alone'], timeoutMs: 10 * MINUTE_MS },
  { name: 'e2e', projects: ['e2e', 'e2e-alone'], timeoutMs: 30 * MINUTE_MS },
];

const QUICK_RUNS: Run[] = [
  { name: 'unit', projects: ['unit', 'unit-media'], timeoutMs: 5 * MINUTE_MS },
  { name: 'a call', projects: ['e2e'], args: ['example-backend'], timeoutMs: 2 * MINUTE_MS },
];
const SLOWEST_FILES = 10;

const heading = (text: string) => say(`\n${colour.bold(`── ${text} `.padEnd(80, '─'))}\n`);

async function main(): Promise<number> {
  const only = process.argv.slice(2);
  const quick = only.includes('quick');
  const wants = (name: string) => quick || only.length === 0 || only.includes(name);

  heading('Set-up');
  const needsMedia = wants('unit') || wants('e2e');
  if (needsMedia && !quick) await ensurePackages(TEST_PACKAGES, 'the tests');
  await prepare({ build: wants('e2e') ? undefined : [], mediaWorker: needsMedia });
  // Every test process loads the same packages; the cache avoids compiling them repeatedly.
  const env = toolEnv({ NODE_COMPILE_CACHE: join(cacheDir, 'compile') });
  if (needsMedia) env['MEDIASOUP_WORKER_BIN'] = await ensureMediasoupWorker();
  say('preparation complete');

  const results: Partial<RunResult>[] = [];
  if (wants('verify')) {
    heading('Format, lint, types, documents');
    results.push(await verify());
  }
  const runs = quick ? QUICK_RUNS : RUNS.filter(({ name }) => wants(name));
  for (const run of runs) {
    heading(`Tests: ${run.name}`);
    results.push(await runTests(run, env));
  }

  const files = results.flatMap((result) => result.files ?? []);
  saySlowest(files, SLOWEST_FILES);
  sayFailures(files);
  const sum = (key: 'passed' | 'failed' | 'skipped') =>
    results.reduce((total, result) => total + (result[key] ?? 0), 0);
  const skipped = sum('skipped');
  say(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return sum('failed') === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
main().then((code) => process.exit(code), exitWith);
