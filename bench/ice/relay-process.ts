/** The parent's interface to relay.ts. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CallPorts } from './ends.ts';

export type RelayRequest = { connect: CallPorts } | { cpu: true };
/** In answer to `cpu`: user and system time in µs. */
export type RelayReply = { connected: true } | { cpuUs: number };

export class RelayProcess {
  readonly #child: ChildProcess;

  constructor(kind: 'bridge' | 'bare') {
    this.#child = fork(join(import.meta.dirname, 'relay.ts'), [kind], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  async connect(call: CallPorts): Promise<void> {
    await this.#ask({ connect: call });
  }

  async cpuUs(): Promise<number> {
    const reply = await this.#ask({ cpu: true });
    return 'cpuUs' in reply ? reply.cpuUs : Number.NaN;
  }

  stop(): void {
    this.#child.kill();
  }

  async #ask(request: RelayRequest): Promise<RelayReply> {
    const answered = once(this.#child, 'message');
    this.#child.send(request);
    const [reply] = (await answered) as [RelayReply];
    return reply;
  }
}
