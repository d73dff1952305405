/**
 * Facts that are being delivered to realtime. A fact is kept and repeated until a realtime node acks it. It goes to the
 * node that last commanded the leg if that is connected, otherwise to any. Facts of one leg are delivered in order, one
 * at a time; those of different legs do not wait for each other.
 */
import { randomUUID } from 'node:crypto';
import type { MediaFact, MediaFactMessage, MediaFactPayload } from '@clarion/protocol/media';
import type { Sent } from '@clarion/protocol/media-clock';
import { storable } from '@clarion/protocol/storable-text';
import { clockMsOf, monotonicMs } from '../monotonic-time.ts';

/** How long to wait for an ack before the fact is sent to another node. */
export const FACT_ACK_TIMEOUT_MS = 3_000;
/** Pause before a fact that no node acked is sent again. */
export const FACT_RETRY_MS = 500;

/** Delivers one fact to one node; true if it was acked. Resolves false immediately if no node is connected. */
export type Deliver = (message: MediaFactMessage, attempt: number) => Promise<boolean>;

export class Outbox {
  readonly #deliver: Deliver;
  #queues = new Map<string, { message: MediaFactMessage; onAcked: () => void }[]>();
  #timers = new Set<NodeJS.Timeout>();
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.length;
    return size;
  }

  /** @param onAcked for a fact that is stored elsewhere until a node has acked it */
  put<F extends MediaFact>(
    fact: F,
    payload: MediaFactPayload<F>,
    onAcked: () => void = () => undefined,
  ): void {
    if (this.#closed) return;
    const { legId } = payload;
    const message: MediaFactMessage = { factId: randomUUID(), fact, payload: storable(payload) };
    const queue = this.#queues.get(legId);
    if (queue) {
      queue.push({ message, onAcked });
      return;
    }
    this.#queues.set(legId, [{ message, onAcked }]);
    void this.#drain(legId);
  }

  /** Resolves when every fact has been acked, or after `timeoutMs`. */
  async flushed(timeoutMs: number): Promise<void> {
    if (this.#queues.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#idle.push(resolve);
    await promise;
    clearTimeout(timer);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#queues.clear();
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #drain(legId: string): Promise<void> {
    const queue = this.#queues.get(legId);
    for (let attempt = 0; queue && queue.length > 0 && !this.#closed; attempt += 1) {
      const [first] = queue;
      if (!first) break;
      const acked = await this.#deliver(
        { ...first.message, sent: sentNow(first.message.payload.at) },
        attempt,
      );
      if (acked) {
        queue.shift();
        first.onAcked();
        attempt = -1;
      } else if (!this.#closed) {
        await this.#pause();
      }
    }
    if (this.#closed) return;
    this.#queues.delete(legId);
    if (this.#queues.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, FACT_RETRY_MS);
      this.#timers.add(timer);
    });
  }
}

/** A recording's fact has a wall-clock time, perhaps of an earlier process, which may be in this one's future. */
function sentNow(at: string): Sent {
  const clockMs = monotonicMs();
  return { clockMs, ageMs: Math.max(0, clockMs - clockMsOf(at)) };
}
