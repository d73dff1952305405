/**
 * Credit of calls: 10,000 random histories of paid calls whose every step is checked, and real calls whose credit ends while processes are killed.
 * `npm run prove -- credit [--histories 10000] [--kills 50]`.
 */
import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ProcessName } from '@clarion/devkit/stack/stack';
import { TestStack } from '@clarion/testkit/stack/stack';
import { killDuringPaidCalls } from './credit/kills.ts';
import { PaidTenant } from './credit/paid-tenant.ts';
import { SeededRandom } from './lib/seeded-random.ts';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '10000' },
    processes: { type: 'string', default: '2' },
    kills: { type: 'string', default: '50' },
    only: { type: 'string', default: 'realtime,worker,web,media,postgres' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const SAY_EVERY = 1_000;
const say = (line: string) => process.stdout.write(`${line}\n`);

/** @returns the first history that fails in each process, as text */
async function proveHistories(url: string): Promise<string[]> {
  const processes = Number(values.processes);
  const each = Math.ceil(Number(values.histories) / processes);
  let done = 0;
  const failures = await Promise.all(
    Array.from({ length: processes }, (_, index) => {
      const args = [url, String(each), String(Number(values.seed) + index)];
      const child = fork(join(import.meta.dirname, 'credit/history-process.ts'), args);
      return new Promise<string | null>((resolve, reject) => {
        child.on('message', (message: { done?: number; failure?: string | null }) => {
          if (message.failure !== undefined) resolve(message.failure);
          done += message.done ?? 0;
          if (message.done && done % SAY_EVERY === 0) say(`  ${done} histories`);
        });
        child.once('exit', () => reject(new Error('a process ended before its histories')));
      });
    }),
  );
  return failures.filter((failure) => failure !== null);
}

say(`seed ${values.seed}; ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`);
const wrong: string[] = [];
if (Number(values.histories) > 0) {
  // Their calls have a clock of their own, so no realtime node may see them.
  const t = await TestStack.boot({ only: ['web'] });
  const started = Date.now();
  try {
    wrong.push(...(await proveHistories(t.stack.env['DATABASE_URL'] ?? '')));
  } finally {
    await t.stop();
  }
  say(`${values.histories} histories in ${Math.round((Date.now() - started) / 1000)} s`);
}
if (Number(values.kills) > 0) {
  const t = await TestStack.boot({ second: ['realtime'] });
  try {
    const tenant = await PaidTenant.open(t);
    const random = new SeededRandom(Number(values.seed));
    for (const name of values.only.split(',') as ProcessName[]) {
      const { reasons, lateMs, problems } = await killDuringPaidCalls(t, tenant, {
        ...{ name, times: Number(values.kills), random },
      });
      const outcomes = [...reasons].map(([reason, count]) => `${count} × ${reason}`).join(', ');
      const latest =
        lateMs.length === 0 ? 'none ended by its credit' : `at most ${Math.max(...lateMs)} ms late`;
      say(`${name}: ${values.kills} kills; ${outcomes}; ${latest}`);
      wrong.push(...problems.map((problem) => `${name}, ${problem}`));
    }
  } finally {
    await t.stop();
  }
}
say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
process.exit(wrong.length === 0 ? 0 : 1);
