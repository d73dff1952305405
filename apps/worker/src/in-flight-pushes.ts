/**
 * The push notifications that a worker has claimed and not yet recorded, by consumer, and how many more of each it may claim: a consumer
 * whose provider is slow, or whose queue rings a thousand devices, does not delay the others. No clock, no I/O.
 */
import type { PushLimits } from '@clarion/core/push/deliver/claim-pushes';

/** Each is a stream of an HTTP/2 connection or a socket, and most of them wait. */
export const MAX_PUSHES = 1_000;
export const PUSHES_PER_CONSUMER = 250;
/** The same while the consumer's provider is slow. */
export const PUSHES_PER_SLOW_CONSUMER = 25;
/** An attempt that takes longer than this marks its consumer as slow; the next quick one clears the mark. */
export const SLOW_PUSH_MS = 1_500;

interface Consumer {
  count: number;
  slow: boolean;
  /** Had no capacity at the last claim, so more of its push notifications may be due. */
  atLimit: boolean;
}

export class InFlightPushes {
  readonly #consumers = new Map<number, Consumer>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** What may be claimed now; null: nothing. */
  limits(): PushLimits | null {
    if (this.#count >= MAX_PUSHES) return null;
    const room = new Map<number, number>();
    const fullConsumers: number[] = [];
    for (const [id, consumer] of this.#consumers) {
      const left = limitOf(consumer) - consumer.count;
      consumer.atLimit = left <= 0;
      if (left > 0) room.set(id, left);
      else fullConsumers.push(id);
    }
    return { count: MAX_PUSHES - this.#count, fullConsumers, room, roomOfOthers: PUSHES_PER_CONSUMER };
  }

  add(claimed: readonly { consumerId: number }[]): void {
    for (const { consumerId } of claimed) {
      const consumer = this.#consumers.get(consumerId) ?? { count: 0, slow: false, atLimit: false };
      consumer.count += 1;
      consumer.atLimit ||= consumer.count >= limitOf(consumer);
      this.#consumers.set(consumerId, consumer);
      this.#count += 1;
    }
  }

  /** An attempt has ended after `tookMs`. */
  attempted(consumerId: number, tookMs: number): void {
    const consumer = this.#consumers.get(consumerId);
    if (consumer) consumer.slow = tookMs > SLOW_PUSH_MS;
  }

  /** Recorded or released. True if more may be claimed than at the last claim, and enough for another one. */
  settle(consumerId: number): boolean {
    const consumer = this.#consumers.get(consumerId);
    if (!consumer) return false;
    const wasFull = this.#count >= MAX_PUSHES;
    consumer.count -= 1;
    this.#count -= 1;
    const hasRoomAgain = consumer.atLimit && consumer.count <= limitOf(consumer) / 2;
    if (hasRoomAgain) consumer.atLimit = false;
    // A slow consumer is kept: no more than its few are claimed, also after a pause.
    if (consumer.count === 0 && !consumer.slow) this.#consumers.delete(consumerId);
    return hasRoomAgain || wasFull;
  }
}

const limitOf = ({ slow }: Consumer): number => (slow ? PUSHES_PER_SLOW_CONSUMER : PUSHES_PER_CONSUMER);
