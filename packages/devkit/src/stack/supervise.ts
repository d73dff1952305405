/** Keeps one process running: restarts it with increasing delays when it exits, until it is stopped. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../terminal/log.ts';

/** docs/requirements.md#processes */
const FIRST_RESTART_MS = 200;
const LONGEST_RESTART_MS = 10_000;
const STOP_TIMEOUT_MS = 12_000;
const HEALTH_POLL_MS = 100;
const HEALTH_TIMEOUT_MS = 90_000;
const KILL_WAIT_MS = 5_000;
/** How long to wait for the end of the output after the process has exited: a descendant in another group may keep it open. */
const OUTPUT_END_TIMEOUT_MS = 1_000;
/** After this many exits without having been healthy, `waitHealthy` rejects. */
const MAX_FAILURES = 5;
const TAIL_LINES = 25;

export interface ProcessSpec {
  name: string;
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string | undefined>;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Called repeatedly until it resolves with true. */
  healthy(): Promise<boolean>;
  /** Default SIGTERM. */
  stopSignal?: NodeJS.Signals;
}

export interface SuperviseOptions {
  onLine(name: string, line: string): void;
  /** Default true. */
  restart?: boolean | undefined;
}

export class SupervisedProcess {
  readonly name: string;
  readonly #spec: ProcessSpec;
  readonly #onLine: SuperviseOptions['onLine'];
  readonly #restart: boolean;
  readonly #lastLines: string[] = [];
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #exited: Promise<void> = Promise.resolve();
  #isHealthy = false;
  #stopping = false;
  #isDown = false; // by `takeDown`
  #failures = 0; // consecutive exits without having been healthy
  #restarts = 0;
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(spec: ProcessSpec, { onLine, restart = true }: SuperviseOptions) {
    this.name = spec.name;
    this.#spec = spec;
    this.#onLine = onLine;
    this.#restart = restart;
    this.#start();
  }

  /** Undefined while the process is not running. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Sends a signal and resolves when the process has exited, or after 5 s if it ignores the signal. The process is then restarted. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#running;
    if (!child) return;
    const exited = this.#exited;
    child.kill(signal);
    await Promise.race([exited, sleep(KILL_WAIT_MS)]);
  }

  /** Kills the process and does not restart it until `bringUp`, as if its machine had failed. */
  async takeDown(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#isDown = true;
    clearTimeout(this.#restartTimer);
    await this.kill(signal);
  }

  bringUp(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    if (!this.#running) this.#start();
  }

  /** Resolves once the process is healthy. Rejects after 90 s, or if it repeatedly exits before. */
  async waitHealthy(): Promise<void> {
    const deadline = Date.now() + HEALTH_TIMEOUT_MS;
    while (!(this.#isHealthy && this.#running)) {
      if (this.#stopping || (!this.#restart && !this.#running))
        throw this.#withLastLines(`${this.name} is not running`);
      if (this.#failures >= MAX_FAILURES)
        throw this.#withLastLines(`${this.name} keeps exiting before it is ready:`);
      if (Date.now() > deadline)
        throw this.#withLastLines(`${this.name} was not ready in ${HEALTH_TIMEOUT_MS / 1000} s:`);
      await sleep(HEALTH_POLL_MS);
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restartTimer);
    const child = this.#running;
    if (!child) return;
    // Its standard input stays open: once that is closed, the process no longer writes its log (program/parent-watch.ts).
    child.kill(this.#spec.stopSignal ?? 'SIGTERM');
    const timer = setTimeout(() => {
      this.#onLine(this.name, `did not stop in ${STOP_TIMEOUT_MS / 1000} s and was killed`);
      killGroup(child.pid);
    }, STOP_TIMEOUT_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  get #running() {
    const child = this.#child;
    return child?.pid && child.exitCode === null && child.signalCode === null ? child : undefined;
  }

  #start(): void {
    const { command, args, cwd, env, uid, gid } = this.#spec;
    this.#isHealthy = false;
    const child = spawn(command, args, {
      cwd,
      env,
      ...(uid === undefined ? {} : { uid, gid }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // its own group: Ctrl-C in the terminal reaches only this process, which stops the others in order
    });
    this.#child = child;
    child.stdin.on('error', () => undefined); // the process has exited: `exit` reports it
    forEachLine(child.stdout, (line) => this.#report(line));
    forEachLine(child.stderr, (line) => this.#report(line));
    let ended = false;
    this.#exited = new Promise((resolve) => {
      const end = (reason: string) => {
        if (ended) return;
        ended = true;
        killGroup(child.pid); // remaining descendants
        child.once('close', () => resolve());
        setTimeout(resolve, OUTPUT_END_TIMEOUT_MS).unref();
        if (!this.#stopping) this.#died(reason);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal ?? `code ${code}`));
    });
    void this.#watchHealth(child);
  }

  async #watchHealth(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<void> {
    while (child === this.#running) {
      const healthy = await this.#spec.healthy();
      if (healthy && child === this.#running) {
        this.#isHealthy = true;
        this.#failures = 0;
        return;
      }
      await sleep(HEALTH_POLL_MS);
    }
  }

  #died(reason: string): void {
    if (!this.#restart || this.#isDown) return this.#report(`exited with ${reason}`);
    if (!this.#isHealthy) this.#failures += 1;
    this.#isHealthy = false;
    const delay = Math.min(FIRST_RESTART_MS * 2 ** Math.max(0, this.#failures - 1), LONGEST_RESTART_MS);
    this.#restarts += 1;
    this.#report(`exited with ${reason}; restarting it in ${delay / 1000} s`);
    this.#restartTimer = setTimeout(() => this.#start(), delay);
  }

  #report(line: string): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > TAIL_LINES) this.#lastLines.shift();
    this.#onLine(this.name, line);
  }

  #withLastLines(text: string): UserError {
    return new UserError([text, ...this.#lastLines.map((line) => `  ${line}`)].join('\n'));
  }
}

export const supervise = (spec: ProcessSpec, options: SuperviseOptions): SupervisedProcess =>
  new SupervisedProcess(spec, options);

function forEachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) if (line.trim()) onLine(line);
  });
  stream.on('end', () => {
    if (rest.trim()) onLine(rest);
  });
}

function killGroup(pid: number | undefined): void {
  if (!pid) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // the group has no processes any more
  }
}
