/**
 * The deliveries that a worker has claimed and not yet recorded, by consumer. It decides how many more of each may be claimed, and which is
 * sent next: consumers take turns, each within its slots (fair-slots.ts). No clock, no I/O.
 */
import type { ClaimLimits } from '@clarion/core/event/claim-deliveries';
import type { DueEvent } from '@clarion/core/event/delivery';
import { CONCURRENCY, consumerFlag, SLOTS_PER_FLAG } from './fair-slots.ts';
import type { FairSlots } from './fair-slots.ts';

/** Maximum in total. A larger batch costs less per delivery, but a killed worker leaves more of them to others. */
export const MAX_IN_FLIGHT = 1_500;
/**
 * A consumer whose endpoint responds within this time may have `QUICK_QUEUE` more deliveries in flight than slots: they wait for a fraction
 * of a second.
 */
export const QUICK_MS = 25;
export const QUICK_QUEUE = 100;
/**
 * A delivery that waits longer than this for a slot is released: its event may be deleted meanwhile, and another worker may have a slot.
 */
export const MAX_SLOT_WAIT_MS = 1_000;

interface Waiting {
  due: DueEvent;
  since: number;
}

interface Consumer {
  id: number;
  waiting: Waiting[];
  /** Waiting, being sent, or sent and not yet recorded. */
  count: number;
  quick: boolean;
  /** Had no capacity at the last claim, so more of its deliveries may be due. */
  atLimit: boolean;
}

export class InFlightDeliveries {
  readonly #slots: FairSlots;
  readonly #consumers = new Map<number, Consumer>();
  #count = 0;
  #sending = 0;

  constructor(slots: FairSlots) {
    this.#slots = slots;
  }

  get count(): number {
    return this.#count;
  }
  get sending(): number {
    return this.#sending;
  }

  /** What may be claimed now. Afterwards `settle` reports when a consumer without capacity has some again. */
  limits(): ClaimLimits {
    const room = new Map<number, number>();
    const fullConsumers: number[] = [];
    for (const consumer of this.#consumers.values()) {
      const left = this.#remainingOf(consumer);
      consumer.atLimit = left <= 0;
      if (left > 0) room.set(consumer.id, left);
      else fullConsumers.push(consumer.id);
    }
    return { count: MAX_IN_FLIGHT - this.#count, fullConsumers, room, roomOfOthers: SLOTS_PER_FLAG };
  }

  /** `now` in ms, of any monotonic clock. */
  add(taken: readonly DueEvent[], now: number): void {
    for (const due of taken) {
      const consumer = this.#consumerOf(due.consumerId);
      consumer.waiting.push({ due, since: now });
      consumer.count += 1;
      this.#count += 1;
    }
    for (const consumer of this.#consumers.values()) consumer.atLimit ||= this.#remainingOf(consumer) <= 0;
  }

  /** The next delivery to send, with its slot taken; null if all slots are taken or no waiting delivery may be sent. */
  next(): DueEvent | null {
    if (this.#slots.running >= CONCURRENCY) return null;
    for (const consumer of this.#consumers.values()) {
      const [first] = consumer.waiting;
      if (!first || !this.#slots.take([consumerFlag(consumer.id)])) continue;
      consumer.waiting.shift();
      this.#sending += 1;
      // Moved to the end, so that consumers take turns.
      this.#consumers.delete(consumer.id);
      this.#consumers.set(consumer.id, consumer);
      return first.due;
    }
    return null;
  }

  /** The endpoint has responded or failed after `tookMs`. The slot is free, but the attempt is not recorded yet. */
  sent({ consumerId }: DueEvent, tookMs: number): void {
    this.#slots.release([consumerFlag(consumerId)], tookMs);
    this.#sending -= 1;
    this.#consumerOf(consumerId).quick = tookMs <= QUICK_MS;
  }

  /** Recorded or released. True if its consumer had no capacity and now has some. */
  settle({ consumerId }: DueEvent): boolean {
    const consumer = this.#consumerOf(consumerId);
    consumer.count -= 1;
    this.#count -= 1;
    const hasRoomAgain = consumer.atLimit && this.#remainingOf(consumer) >= this.#capacityOf(consumer) / 2;
    if (hasRoomAgain) consumer.atLimit = false;
    // A slow consumer is kept: no more than its few slots are claimed for it, also after a pause.
    if (consumer.count === 0 && !this.#slots.isSlow(consumerFlag(consumerId)))
      this.#consumers.delete(consumerId);
    return hasRoomAgain;
  }

  /** Removes what has been waiting since before `moment`, or everything if omitted. It counts until it is settled. */
  removeWaiting(moment = Number.POSITIVE_INFINITY): DueEvent[] {
    return [...this.#consumers.values()].flatMap((consumer) => {
      const old = consumer.waiting.filter(({ since }) => since < moment);
      if (old.length > 0) consumer.waiting = consumer.waiting.filter(({ since }) => since >= moment);
      return old.map(({ due }) => due);
    });
  }

  #consumerOf(id: number): Consumer {
    const known = this.#consumers.get(id);
    if (known) return known;
    const consumer: Consumer = { id, waiting: [], count: 0, quick: false, atLimit: false };
    this.#consumers.set(id, consumer);
    return consumer;
  }

  #capacityOf(consumer: Consumer): number {
    return this.#slots.limit(consumerFlag(consumer.id)) + (consumer.quick ? QUICK_QUEUE : 0);
  }

  #remainingOf(consumer: Consumer): number {
    return this.#capacityOf(consumer) - consumer.count;
  }
}
