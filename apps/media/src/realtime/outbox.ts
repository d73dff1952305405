/**
 * Facts that are being delivered to realtime. A fact is kept and repeated until a realtime node acks it. It goes to the
 * node that last commanded the leg if that is connected, otherwise to any. Facts of one leg are delivered in order, one
 * at a time; those of different legs do not wait for each other, unless one fact is about both.
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

export interface PutOptions {
  /** The fact is also about this leg: it is delivered after earlier facts of both legs and before later ones of both. */
  otherLegId?: string;
  /** For a fact that is stored elsewhere until a node has acked it. */
  onAcked?: () => void;
}

interface Entry {
  message: MediaFactMessage;
  legIds: string[];
  onAcked: (() => void) | undefined;
}

export class Outbox {
  readonly #deliver: Deliver;
  /** By leg. A fact about two legs is in the queues of both. */
  #queues = new Map<string, Entry[]>();
  #timers = new Set<NodeJS.Timeout>();
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  get size(): number {
    return new Set([...this.#queues.values()].flat()).size;
  }

  put<F extends MediaFact>(fact: F, payload: MediaFactPayload<F>, options: PutOptions = {}): void {
    if (this.#closed) return;
    const { otherLegId, onAcked } = options;
    const message: MediaFactMessage = { factId: randomUUID(), fact, payload: storable(payload) };
    const legIds = otherLegId === undefined ? [payload.legId] : [payload.legId, otherLegId];
    const entry: Entry = { message, legIds, onAcked };
    for (const legId of legIds) {
      const queue = this.#queues.get(legId);
      if (queue) queue.push(entry);
      else this.#queues.set(legId, [entry]);
    }
    this.#sendIfFirst(entry);
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

  #sendIfFirst(entry: Entry): void {
    if (entry.legIds.every((legId) => this.#queues.get(legId)?.[0] === entry)) void this.#send(entry);
  }

  async #send(entry: Entry): Promise<void> {
    const { message } = entry;
    for (let attempt = 0; !this.#closed; attempt += 1) {
      const sent = sentNow(message.payload.at);
      if (await this.#deliver({ ...message, sent }, attempt)) return this.#acked(entry);
      if (!this.#closed) await this.#pause();
    }
  }

  #acked(entry: Entry): void {
    entry.onAcked?.();
    if (this.#closed) return;
    for (const next of this.#remove(entry)) this.#sendIfFirst(next);
    if (this.#queues.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** @returns the facts that are now first in a queue */
  #remove({ legIds }: Entry): Set<Entry> {
    const firsts = new Set<Entry>();
    for (const legId of legIds) {
      const queue = this.#queues.get(legId);
      queue?.shift();
      const first = queue?.[0];
      if (first) firsts.add(first);
      else this.#queues.delete(legId);
    }
    return firsts;
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
