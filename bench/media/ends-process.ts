/** The parent's interface to ends.ts: each request returns a promise. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Audio, EndsReply, EndsRequest } from './ends.ts';
import type { RoomAudio } from './room-audio.ts';

interface Answer {
  id: number;
  reply?: EndsReply;
  error?: string;
}

/** Raises the priority of the measuring process: otherwise it would measure its own waits for a core and send bursts. */
function raisePriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    return; // not permitted here; it affects the figures of both sides
  }
}

export class Ends {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (reply: EndsReply) => void; reject: (error: Error) => void }
  >();
  #next = 1;

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'ends.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    raisePriority(this.#child);
    this.#child.on('message', ({ id, reply, error }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(reply ?? null);
      else waiting?.reject(new Error(error));
    });
    this.#child.once('exit', (code) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`the load process ended with ${code}`));
    });
  }

  async sdp(request: Extract<EndsRequest, { ask: 'offer' | 'port' }>): Promise<string> {
    const reply = await this.#ask(request);
    if (typeof reply !== 'string') throw new Error('no SDP');
    return reply;
  }

  async tell(
    request: Extract<EndsRequest, { ask: 'accept' | 'dial' | 'answered' | 'remote' }>,
  ): Promise<void> {
    await this.#ask(request);
  }

  async measure(settleMs: number, forMs: number): Promise<Audio> {
    const reply = await this.#ask({ ask: 'measure', settleMs, forMs });
    if (reply === null || typeof reply === 'string' || !('toAgent' in reply))
      throw new Error('no measurement');
    return reply;
  }

  async talk(settleMs: number, forMs: number): Promise<RoomAudio> {
    const reply = await this.#ask({ ask: 'talk', settleMs, forMs });
    if (reply === null || typeof reply === 'string' || !('misheard' in reply)) throw new Error('no count');
    return reply;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    await this.#ask({ ask: 'close' });
    await ended;
  }

  #ask(request: EndsRequest): Promise<EndsReply> {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, request });
    });
  }
}
