/** The end of a month for 10,000 tenants with 1,000,000 usage records, with runs that are killed: every invoice is recounted in SQL. */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createDatabase } from '@clarion/db';
import { applyMigrations } from '@clarion/db/migrate';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { runMonthEnd } from './month-end/run.ts';

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '10000' },
    records: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '6' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const KILL_WITHIN_MS = 2_500;
const plan = {
  tenants: Number(values.tenants),
  records: Number(values.records),
  kills: Number(values.kills),
  killWithinMs: KILL_WITHIN_MS,
  seed: Number(values.seed),
};

const say = (line: string) => process.stdout.write(`${line}\n`);
say(`seed ${plan.seed}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}`);
const server = await startTemporaryPostgres();
try {
  await applyMigrations(server.url);
  const db = createDatabase(server.url, { connections: 4 });
  const { invoices, kills, seconds, peakMegabytes, wrong } = await runMonthEnd(db, server.url, plan, say);
  say(
    `${invoices} invoices in ${seconds.toFixed(1)} s with ${kills} killed runs; at most ${peakMegabytes} MB per process`,
  );
  say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
  await db.$disconnect();
} finally {
  await server.stop();
}
