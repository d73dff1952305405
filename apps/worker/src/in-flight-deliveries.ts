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
export const QUICK_MS = 50;
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
  /** Had nothing in flight at the last `forgetIdle`. */
  idle: boolean;
  /** Had no capacity at the last claim, so more of its deliveries may be due. */
  atLimit: boolean;
}

export class InFlightDeliveries {
  readonly #slots: FairSlots;
  readonly #consumers = new Map<number, Consumer>();
  /** Those with waiting deliveries, in the order of their turns. */
  readonly #turns = new Set<Consumer>();
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

  /** What may be claimed now. Afterwards `sent` and `settle` report when a consumer without capacity has some again. */
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

  /**
   * What was claimed within `limits`; `now` in ms, of any monotonic clock. True if more may be claimed at once: a consumer has used all that
   * it was allowed, so more of its deliveries may be due, and meanwhile others of it have been settled.
   */
  add(taken: readonly DueEvent[], { room, roomOfOthers }: ClaimLimits, now: number): boolean {
    const counts = new Map<Consumer, number>();
    for (const due of taken) {
      const consumer = this.#consumerOf(due.consumerId);
      consumer.waiting.push({ due, since: now });
      consumer.count += 1;
      counts.set(consumer, (counts.get(consumer) ?? 0) + 1);
    }
    this.#count += taken.length;
    let hasRoom = false;
    for (const [consumer, count] of counts) {
      this.#turns.add(consumer);
      if (count < (room.get(consumer.id) ?? roomOfOthers)) continue;
      consumer.atLimit = !this.#hasRoomAgain(consumer);
      hasRoom ||= !consumer.atLimit;
    }
    return hasRoom;
  }

  /** The next delivery to send, with its slot taken; null if all slots are taken or no waiting delivery may be sent. */
  next(): DueEvent | null {
    if (this.#slots.running >= CONCURRENCY) return null;
    for (const consumer of this.#turns) {
      const [first] = consumer.waiting;
      if (!first || !this.#slots.take([consumerFlag(consumer.id)])) continue;
      consumer.waiting.shift();
      this.#turns.delete(consumer);
      if (consumer.waiting.length > 0) this.#turns.add(consumer);
      this.#sending += 1;
      return first.due;
    }
    return null;
  }

  /**
   * The endpoint has responded or failed after `tookMs`. The slot is free, but the attempt is not recorded yet. True if its consumer had no
   * capacity and now has some, because it is quick.
   */
  sent({ consumerId }: DueEvent, tookMs: number): boolean {
    this.#slots.release([consumerFlag(consumerId)], tookMs);
    this.#sending -= 1;
    const consumer = this.#consumerOf(consumerId);
    consumer.quick = tookMs <= QUICK_MS;
    return this.#regainsRoom(consumer);
  }

  /** Recorded or released. True if its consumer had no capacity and now has some. */
  settle({ consumerId }: DueEvent): boolean {
    const consumer = this.#consumerOf(consumerId);
    consumer.count -= 1;
    this.#count -= 1;
    return this.#regainsRoom(consumer);
  }

  /**
   * Forgets consumers that have had nothing in flight since the call before: not at once, because a backlog of one quick consumer is claimed
   * in parts, between which nothing of it may be in flight. A slow one is kept: only its few slots are claimed for it, also after a pause.
   */
  forgetIdle(): void {
    for (const consumer of this.#consumers.values()) {
      const { id, count, idle } = consumer;
      consumer.idle = count === 0;
      if (idle && count === 0 && !this.#slots.isSlow(consumerFlag(id))) this.#consumers.delete(id);
    }
  }

  /** Removes what has been waiting since before `moment`, or everything if omitted. It counts until it is settled. */
  removeWaiting(moment = Number.POSITIVE_INFINITY): DueEvent[] {
    return [...this.#consumers.values()].flatMap((consumer) => {
      const old = consumer.waiting.filter(({ since }) => since < moment);
      if (old.length > 0) consumer.waiting = consumer.waiting.filter(({ since }) => since >= moment);
      if (consumer.waiting.length === 0) this.#turns.delete(consumer);
      return old.map(({ due }) => due);
    });
  }

  #consumerOf(id: number): Consumer {
    const known = this.#consumers.get(id);
    if (known) return known;
    const consumer: Consumer = { id, waiting: [], count: 0, quick: false, idle: false, atLimit: false };
    this.#consumers.set(id, consumer);
    return consumer;
  }

  #capacityOf(consumer: Consumer): number {
    return this.#slots.limit(consumerFlag(consumer.id)) + (consumer.quick ? QUICK_QUEUE : 0);
  }

  #regainsRoom(consumer: Consumer): boolean {
    const regains = consumer.atLimit && this.#hasRoomAgain(consumer);
    if (regains) consumer.atLimit = false;
    return regains;
  }

  /** For so many that a claim is worth its cost. */
  #hasRoomAgain(consumer: Consumer): boolean {
    return this.#remainingOf(consumer) >= this.#capacityOf(consumer) / 2;
  }

  #remainingOf(consumer: Consumer): number {
    return this.#capacityOf(consumer) - consumer.count;
  }
}
