/**
 * Sends finished ladders to realtime, several at a time, and again until they are acknowledged. While no realtime node is connected, the
 * oldest are dropped: a ladder is for diagnostics, and the memory is for calls.
 */
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { MAX_LADDER_BYTES, MAX_LADDERS_PER_MESSAGE, type LadderMessage } from '@clarion/protocol/ladder';
import type { Logger } from 'pino';
import { clockMsOf } from '../monotonic-time.ts';
import type { FinishedLadder } from './ladders.ts';

/** How long a ladder waits for others, so that they are sent and stored together. */
const BATCH_MS = 1_000;
const RETRY_MS = 2_000;
/** Ladders that wait; they have a few kilobytes each. */
const MAX_WAITING = 2_000;
/** The fastest: a ladder is a few kilobytes in any case. */
const COMPRESSION_LEVEL = 1;
const compress = promisify(deflateRaw);

export interface LadderSenderOptions {
  /** False: not acknowledged. */
  deliver: (ladders: LadderMessage[]) => Promise<boolean>;
  nowMs: () => number;
  log: Logger;
}

type Waiting = Omit<LadderMessage, 'sent'>;

export class LadderSender {
  readonly #options: LadderSenderOptions;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #dropped = 0;
  readonly #compressing = new Set<Promise<void>>();

  constructor(options: LadderSenderOptions) {
    this.#options = options;
  }

  /** Ladders that were lost because no realtime node was connected for too long. */
  get dropped(): number {
    return this.#dropped;
  }

  add(ladder: FinishedLadder): void {
    const added = this.#compress(ladder).catch((error: unknown) =>
      this.#options.log.warn({ err: error, callId: ladder.callId }, 'failed to compress a SIP ladder'),
    );
    this.#compressing.add(added);
    void added.finally(() => this.#compressing.delete(added));
  }

  /** Sends what waits, without repetition. */
  async flush(): Promise<void> {
    await Promise.all(this.#compressing);
    await this.#sending;
    await this.#send();
    this.#stop();
  }

  async #compress({ ladderId, callId, inviteId, startedMs, part }: FinishedLadder): Promise<void> {
    const data = (await compress(JSON.stringify(part), { level: COMPRESSION_LEVEL })).toString('base64');
    if (data.length > MAX_LADDER_BYTES) return;
    const at = new Date(performance.timeOrigin + startedMs).toISOString();
    this.#waiting.push({ ladderId, callId, inviteId, at, data });
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift();
      this.#dropped += 1;
    }
    this.#schedule(BATCH_MS);
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#sending ??= this.#send().finally(() => {
        this.#sending = null;
        if (this.#waiting.length > 0) this.#schedule(RETRY_MS);
      });
    }, ms);
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_LADDERS_PER_MESSAGE);
      const clockMs = this.#options.nowMs();
      const ladders = batch.map((ladder) => ({
        ...ladder,
        sent: { clockMs, ageMs: Math.max(0, clockMs - clockMsOf(ladder.at)) },
      }));
      if (!(await this.#options.deliver(ladders))) return;
      const done = new Set(batch);
      this.#waiting = this.#waiting.filter((ladder) => !done.has(ladder));
    }
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting = [];
  }
}
