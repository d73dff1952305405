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
  #idle: { from: Sample; to: Sample } | null = null;

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

  /** Everything later is counted beside the rate of these seconds. */
  async measureIdle(seconds: number): Promise<void> {
    const from = await this.start();
    await sleep(seconds * 1000);
    this.#idle = { from, to: await this.end() };
  }

  /** The idle rate, a second of it. */
  idle(): Used {
    if (!this.#idle) throw new Error('idle was not measured');
    const { from, to } = this.#idle;
    const executed = executedBetween(from.statements, to.statements);
    return scaled(
      { cpuMs: cpuMsBetween(from, to), statements: countByProcess(executed) },
      1 / executed.seconds,
    );
  }

  /** More than idle, for each of `calls`. */
  perCall(from: Sample, to: Sample, calls: number): Used {
    if (!this.#idle) throw new Error('idle was not measured');
    const executed = executedBetween(from.statements, to.statements);
    const idle = executedBetween(this.#idle.from.statements, this.#idle.to.statements);
    const idleRate = this.idle().cpuMs;
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
