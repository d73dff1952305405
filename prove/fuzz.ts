/**
 * 100,000 random requests, valid and invalid, through the real handlers on a real database: no 5xx, no hang, and each rejection names the
 * invalid field.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createVitest } from 'vitest/node';
import type { Tally } from '../apps/web/test/fuzz/fuzz.ts';
import type {} from '../apps/web/test/fuzz/plan.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const plan = { requests: Number(values.requests), seed: Number(values.seed) };
const say = (line: string) => process.stdout.write(`${line}\n`);
const TEST = 'apps/web/test/fuzz.db.test.ts';
/** Far more than the slowest machine needs per request on average. */
const MS_PER_REQUEST = 60;

say(`seed ${plan.seed}`);
// It needs the database and the handlers of the tests, so it runs in vitest.
const vitest = await createVitest('test', {
  watch: false,
  project: ['db'],
  reporters: [['default', { summary: false }]],
  testTimeout: plan.requests * MS_PER_REQUEST,
});
vitest.provide('fuzz', plan);
const startedAt = performance.now();
const { testModules } = await vitest.start([TEST]);
const seconds = (performance.now() - startedAt) / 1000;
const tests = testModules.flatMap((module) => [...module.children.allTests()]);
const tally = tests[0]?.meta().fuzz;
if (tally) report(tally);
await vitest.close();
process.exit(tests.length > 0 && tests.every((test) => test.result().state === 'passed') ? 0 : 1);

function report({ requests, byStatus, byMood, fittingSucceeded, byEndpoint, complaints }: Tally): void {
  const percent = (count: number) => `${((100 * count) / requests).toFixed(1)} %`;
  const succeeded = Object.entries(byStatus).reduce(
    (sum, [status, n]) => sum + (Number(status) < 300 ? n : 0),
    0,
  );
  const never = byEndpoint.filter(([, { succeeded: good }]) => good === 0).map(([name]) => name);
  say(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`);
  say(
    `${requests} requests to ${byEndpoint.length} endpoints in ${seconds.toFixed(0)} s; 2xx: ${percent(succeeded)}`,
  );
  say(`by status: ${JSON.stringify(byStatus)}`);
  say(`by kind: ${JSON.stringify(byMood)}; fitting and 2xx: ${fittingSucceeded}`);
  say(`never 2xx: ${never.join(', ') || 'none'}`);
  const slowest = byEndpoint.toSorted(([, a], [, b]) => b.slowestMs - a.slowestMs).slice(0, 3);
  say(`slowest: ${slowest.map(([name, { slowestMs }]) => `${name} ${Math.round(slowestMs)} ms`).join(', ')}`);
  say(complaints.length === 0 ? 'no failures' : complaints.join('\n'));
}
