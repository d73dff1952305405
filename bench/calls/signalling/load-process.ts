/** The parent's side of load.ts: one request at a time. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadResult, Reply, Request } from './load.ts';
import type { Load, Site } from './place.ts';

export class LoadProcess {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'load.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

  readonly #ended = once(this.#child, 'exit').then(([code]) => {
    throw new Error(`the load process ended with ${String(code)}`);
  });

  constructor() {
    this.#ended.catch(() => undefined); // matters only to a request in progress
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Agents in addition to those that are connected. */
  async connect(site: Site, tokens: string[]): Promise<void> {
    await this.#ask({ do: 'connect', site, tokens });
  }

  /** Callers in addition to those who wait. */
  async leaveWaiting(calls: number): Promise<void> {
    await this.#ask({ do: 'leave waiting', calls });
  }

  async place(load: Load): Promise<LoadResult> {
    const { result } = await this.#ask({ do: 'place', load });
    if (!result) throw new Error('the load process returned no result');
    return result;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    await this.#ask({ do: 'close' });
    const forced = setTimeout(() => this.#child.kill('SIGKILL'), 2_000); // a WebRTC thread may keep it alive
    await ended;
    clearTimeout(forced);
  }

  async #ask(request: Request): Promise<Reply> {
    const answered = once(this.#child, 'message') as Promise<[Reply]>;
    this.#child.send(request);
    const [reply] = await Promise.race([answered, this.#ended]);
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply;
  }
}
