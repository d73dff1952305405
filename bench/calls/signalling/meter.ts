/** What the processes use, in CPU and in statements, beside what they use when idle. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestStack } from '@clarion/testkit/stack/stack';
import {
  countByProcess,
  executedBetween,
  withoutIdle,
  type Reading,
  type StatementCount,
} from '@clarion/testkit/stack/statement-counter';
import { cpuBetween, usageOf, type Usage } from '../processes.ts';
import { WORKER } from '../report.ts';

export interface Sample {
  statements: Reading;
  usage: Record<string, Usage>;
}

export interface Used {
  /** CPU ms by process; the load's under `load`. */
  cpuMs: Record<string, number>;
  statements: Record<string, StatementCount>;
}

export class Meter {
  readonly #t: TestStack;
  readonly #loadPid: number | undefined;
  /** Times without calls, before and after each load. */
  readonly #idle: { from: Sample; to: Sample }[] = [];

  constructor(t: TestStack, loadPid: number | undefined) {
    this.#t = t;
    this.#loadPid = loadPid;
  }

  /** Reading the statements costs PostgreSQL as much as a call, so it is outside of what is measured: before its start, after its end. */
  async start(): Promise<Sample> {
    const statements = await this.#t.statements.read();
    return { statements, usage: this.#usage() };
  }

  async end(): Promise<Sample> {
    const usage = this.#usage();
    return { statements: await this.#t.statements.read(), usage };
  }

  #usage(): Record<string, Usage> {
    const processes = Object.entries(this.#t.stack.processes).map(([name, { pid }]) => [name, pid]);
    return usageOf({ ...Object.fromEntries(processes), load: this.#loadPid }, [WORKER]);
  }

  async measureIdle(seconds: number): Promise<void> {
    const from = await this.start();
    await sleep(seconds * 1000);
    this.#idle.push({ from, to: await this.end() });
  }

  /** A second without calls, by the mean of the last `times` times it was measured. */
  idle(times: number): Used {
    const rates = this.#idle.slice(-times).map(({ from, to }) => {
      const executed = executedBetween(from.statements, to.statements);
      const used = { cpuMs: cpuMsBetween(from, to), statements: countByProcess(executed) };
      return scaled(used, 1 / executed.seconds);
    });
    return scaled(rates.reduce(added), 1 / rates.length);
  }

  /** More than idle, for each of `calls`. A machine gets slower and faster by itself, so idle is measured before and after the load. */
  perCall(from: Sample, to: Sample, calls: number): Used {
    const last = this.#idle.at(-1);
    if (!last) throw new Error('idle was not measured');
    const executed = executedBetween(from.statements, to.statements);
    const idle = executedBetween(last.from.statements, last.to.statements);
    const idleRate = this.idle(2).cpuMs;
    const cpuMs = Object.fromEntries(
      Object.entries(cpuMsBetween(from, to)).map(([name, ms]) => [
        name,
        ms - (idleRate[name] ?? 0) * executed.seconds,
      ]),
    );
    const statements = countByProcess(withoutIdle(executed, idle));
    return scaled({ cpuMs, statements }, 1 / Math.max(1, calls));
  }
}

const cpuMsBetween = (from: Sample, to: Sample): Record<string, number> =>
  Object.fromEntries(
    Object.entries(cpuBetween(from.usage, to.usage)).map(([name, seconds]) => [name, seconds * 1000]),
  );

const scaled = ({ cpuMs, statements }: Used, factor: number): Used => ({
  cpuMs: Object.fromEntries(Object.entries(cpuMs).map(([name, ms]) => [name, ms * factor])),
  statements: Object.fromEntries(
    Object.entries(statements).map(([name, count]) => [
      name,
      { statements: count.statements * factor, commits: count.commits * factor },
    ]),
  ),
});

function added(one: Used, other: Used): Used {
  const names = Object.keys({ ...one.cpuMs, ...other.cpuMs });
  const processes = Object.keys({ ...one.statements, ...other.statements });
  const sum = (key: keyof StatementCount, name: string) =>
    (one.statements[name]?.[key] ?? 0) + (other.statements[name]?.[key] ?? 0);
  return {
    cpuMs: Object.fromEntries(names.map((name) => [name, (one.cpuMs[name] ?? 0) + (other.cpuMs[name] ?? 0)])),
    statements: Object.fromEntries(
      processes.map((name) => [name, { statements: sum('statements', name), commits: sum('commits', name) }]),
    ),
  };
}
