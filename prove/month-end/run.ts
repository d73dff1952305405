/** Invoices a month with two processes at a time, one of which is killed again and again, and recounts it. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@clarion/db';
import { SeededRandom } from '../lib/seeded-random.ts';
import { fillMonth, MONTH_END } from './month.ts';
import { recount } from './recount.ts';

export interface MonthEndPlan {
  tenants: number;
  records: number;
  kills: number;
  /** After the process has begun. */
  killWithinMs: number;
  seed: number;
  /** Accounts per transaction; the job's own number if omitted. */
  batch?: number;
}

export interface MonthEndResult {
  invoices: number;
  /** Processes that were killed before they had finished. */
  kills: number;
  seconds: number;
  peakMegabytes: number;
  wrong: string[];
}

/** A process that keeps what it has invoiced would not have enough of it. */
const HEAP_MB = 96;

export async function runMonthEnd(
  db: Database,
  url: string,
  plan: MonthEndPlan,
  say: (line: string) => void = () => undefined,
): Promise<MonthEndResult> {
  const random = new SeededRandom(plan.seed);
  say(`writing ${plan.records} usage records of ${plan.tenants} tenants`);
  await fillMonth(db, plan.tenants, plan.records);
  const started = performance.now();
  let kills = 0;
  let peakMegabytes = 0;
  for (let left = plan.kills; left > 0 && (await isDue(db)); left -= 1) {
    const victim = await start(url, plan.batch);
    const killed = sleep(random.between(0, plan.killWithinMs)).then(() => victim.kill('SIGKILL'));
    if (await ended(victim)) break;
    await killed;
    kills += 1;
    say(`… ${await db.invoice.count()} invoices after kill ${kills}`);
  }
  // What the killed processes have locked is skipped until the database notices their end.
  while (await isDue(db)) {
    const both = await Promise.all([start(url, plan.batch), start(url, plan.batch)]);
    const reports = await Promise.all(both.map((process) => ended(process)));
    for (const report of reports) {
      if (report === null) throw new Error('a process died that was not killed');
      peakMegabytes = Math.max(peakMegabytes, report.peakMegabytes);
    }
  }
  const seconds = (performance.now() - started) / 1_000;
  const invoices = await db.invoice.count();
  say('running it again, and recounting');
  const again = await ended(await start(url, plan.batch));
  const wrong = await recount(db);
  if (again?.invoices !== 0) wrong.push(`a second run made ${again?.invoices} invoices`);
  return { invoices, kills, seconds, peakMegabytes, wrong };
}

const isDue = async (db: Database): Promise<boolean> =>
  (await db.billingCycle.count({ where: { periodFrom: { lt: MONTH_END } } })) > 0;

interface Report {
  invoices: number;
  peakMegabytes: number;
}

const reports = new WeakMap<ChildProcess, Report>();

async function start(url: string, batch?: number): Promise<ChildProcess> {
  const args = batch === undefined ? [url] : [url, String(batch)];
  const child = fork(join(import.meta.dirname, 'job-process.ts'), args, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
  });
  await once(child, 'message');
  child.on('message', (report: Report) => reports.set(child, report));
  return child;
}

/** Null: it was killed before it had finished. */
async function ended(child: ChildProcess): Promise<Report | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return reports.get(child) ?? null;
}
