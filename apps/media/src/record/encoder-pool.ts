/** A pool of encoder processes, limited by the number of cores. Each is started on demand and ended when idle. */
import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { EncodedFile } from './encode-spool.ts';

/** The pool uses half of the cores, at most this many. */
const MAX_PROCESSES = 4;
/** An idle process is ended after this time. */
const IDLE_MS = 30_000;
/** One hour of audio takes less than half a minute on one core; a process that needs longer than this hangs. */
const ENCODE_LIMIT_MS = 60 * 60_000;

export interface EncodeJob {
  spoolPath: string;
  targetPath: string;
  comments: readonly `${string}=${string}`[];
}
export type EncodeReply =
  { id: number; file: EncodedFile } | { id: number; error: string; code: string | null };

/** An error of the encoder process; `code` is that of the failed system call, if any. */
export class EncodeError extends Error {
  readonly code: string | null;

  constructor(message: string, code: string | null) {
    super(message);
    this.name = 'EncodeError';
    this.code = code;
  }
}

interface Waiting {
  job: EncodeJob;
  resolve: (file: EncodedFile) => void;
  reject: (error: Error) => void;
}

interface Encoder {
  child: ChildProcess;
  working: Waiting | null;
  timer: NodeJS.Timeout | null;
}

export class EncoderPool {
  readonly #size: number;
  readonly #waiting: Waiting[] = [];
  readonly #encoders = new Set<Encoder>();
  #closed = false;
  #jobs = 0;

  constructor(size = Math.max(1, Math.min(MAX_PROCESSES, Math.floor(availableParallelism() / 2)))) {
    this.#size = size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  encode(job: EncodeJob): Promise<EncodedFile> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error('the node is stopping'));
      this.#waiting.push({ job, resolve, reject });
      this.#go();
    });
  }

  /** Ends the processes; jobs in progress are rejected. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the node is stopping'));
    for (const { child } of this.#encoders) child.kill('SIGKILL');
  }

  #go(): void {
    if (this.#closed || this.#waiting.length === 0) return;
    const idle = [...this.#encoders].find(({ working }) => working === null);
    if (!idle && this.#encoders.size >= this.#size) return;
    const next = this.#waiting.shift();
    if (next) this.#run(idle ?? this.#start(), next);
  }

  #start(): Encoder {
    const child = fork(fileURLToPath(new URL('./encoder-process.ts', import.meta.url)), {
      execArgv: [],
      detached: true, // a session of its own, whose priority it lowers
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // The process does not keep the node alive: when the node exits, its IPC channel closes and the process exits.
    child.unref();
    child.channel?.unref();
    const encoder: Encoder = { child, working: null, timer: null };
    this.#encoders.add(encoder);
    child.on('message', (reply: EncodeReply) => this.#done(encoder, reply));
    child.once('error', (error) => this.#gone(encoder, error));
    child.once('exit', () => this.#gone(encoder, new Error('the encoder exited')));
    return encoder;
  }

  #run(encoder: Encoder, waiting: Waiting): void {
    encoder.working = waiting;
    this.#rest(encoder, ENCODE_LIMIT_MS);
    this.#jobs += 1;
    encoder.child.send({ id: this.#jobs, ...waiting.job }, (error) => {
      if (error) this.#gone(encoder, error);
    });
  }

  #done(encoder: Encoder, reply: EncodeReply): void {
    const { working } = encoder;
    encoder.working = null;
    this.#rest(encoder, IDLE_MS);
    if ('file' in reply) working?.resolve(reply.file);
    else working?.reject(new EncodeError(reply.error, reply.code));
    this.#go();
  }

  /** Kills the process after this time unless it is called again. */
  #rest(encoder: Encoder, ms: number): void {
    if (encoder.timer) clearTimeout(encoder.timer);
    encoder.timer = setTimeout(() => encoder.child.kill('SIGKILL'), ms);
    encoder.timer.unref();
  }

  #gone(encoder: Encoder, error: Error): void {
    if (!this.#encoders.delete(encoder)) return;
    if (encoder.timer) clearTimeout(encoder.timer);
    encoder.child.kill('SIGKILL');
    encoder.working?.reject(error);
    encoder.working = null;
    this.#go();
  }
}
