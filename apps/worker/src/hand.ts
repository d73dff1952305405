/**
 * What a worker has in hand: deliveries it has taken and not yet recorded, by consumer. It says how many more of each may be taken,
 * and which is sent next: the consumers take turns, each within its slots (fair-slots.ts). No clock, no I/O.
 */
import { consumerFlag } from '@clarion/core/event/claim-deliveries';
import type { ClaimLimits } from '@clarion/core/event/claim-deliveries';
import type { DueEvent } from '@clarion/core/event/delivery';
import { CONCURRENCY, SLOTS_PER_FLAG } from './fair-slots.ts';
import type { FairSlots } from './fair-slots.ts';

/** Taken and not yet recorded, in all: what a batch costs is shared, and what a killed worker leaves to others is bounded. */
export const HAND_MAX = 1_500;
/** An endpoint that answers in this time may have `QUICK_QUEUE` more in hand than it has slots: they wait for a fraction of a second. */
export const QUICK_MS = 25;
export const QUICK_QUEUE = 100;
/** What waits longer than this for a slot is given back: its event may be deleted meanwhile, another worker may have room. */
export const HOLD_MS = 1_000;

interface Waiting {
  due: DueEvent;
  since: number;
}

interface Consumer {
  id: number;
  waiting: Waiting[];
  /** Waiting, being sent, or sent and not yet recorded. */
  held: number;
  quick: boolean;
  /** At the last claim it had no room left, so there may be more of it. */
  leftBehind: boolean;
}

export class Hand {
  readonly #slots: FairSlots;
  readonly #consumers = new Map<number, Consumer>();
  #held = 0;
  #sending = 0;

  constructor(slots: FairSlots) {
    this.#slots = slots;
  }

  get held(): number {
    return this.#held;
  }
  get sending(): number {
    return this.#sending;
  }

  /** What may be taken now. Afterwards `settle` says when a consumer that had no room has some again. */
  limits(): ClaimLimits {
    const room = new Map<number, number>();
    const fullConsumers: number[] = [];
    for (const consumer of this.#consumers.values()) {
      const left = this.#roomOf(consumer);
      consumer.leftBehind = left <= 0;
      if (left > 0) room.set(consumer.id, left);
      else fullConsumers.push(consumer.id);
    }
    return { count: HAND_MAX - this.#held, fullConsumers, room, roomOfOthers: SLOTS_PER_FLAG };
  }

  /** `now` in ms, of any clock that only goes forward. */
  add(taken: readonly DueEvent[], now: number): void {
    for (const due of taken) {
      const consumer = this.#consumerOf(due.consumerId);
      consumer.waiting.push({ due, since: now });
      consumer.held += 1;
      this.#held += 1;
    }
    for (const consumer of this.#consumers.values()) consumer.leftBehind ||= this.#roomOf(consumer) <= 0;
  }

  /** The next one to be sent, with its slot taken; null when all slots are taken or nothing waits that may go. */
  next(): DueEvent | null {
    if (this.#slots.running >= CONCURRENCY) return null;
    for (const consumer of this.#consumers.values()) {
      const [first] = consumer.waiting;
      if (!first || !this.#slots.take([consumerFlag(consumer.id)])) continue;
      consumer.waiting.shift();
      this.#sending += 1;
      // To the back of the line.
      this.#consumers.delete(consumer.id);
      this.#consumers.set(consumer.id, consumer);
      return first.due;
    }
    return null;
  }

  /** The endpoint has answered, or not, after `tookMs`: the slot is free, the record is still to be made. */
  sent({ consumerId }: DueEvent, tookMs: number): void {
    this.#slots.release([consumerFlag(consumerId)], tookMs);
    this.#sending -= 1;
    this.#consumerOf(consumerId).quick = tookMs <= QUICK_MS;
  }

  /** Recorded, or given back. True when its consumer was left behind and has room again. */
  settle({ consumerId }: DueEvent): boolean {
    const consumer = this.#consumerOf(consumerId);
    consumer.held -= 1;
    this.#held -= 1;
    const hasRoomAgain = consumer.leftBehind && this.#roomOf(consumer) >= this.#capacityOf(consumer) / 2;
    if (hasRoomAgain) consumer.leftBehind = false;
    // A slow one is remembered: no more than its few slots are taken for it, also after a pause.
    if (consumer.held === 0 && !this.#slots.isSlow(consumerFlag(consumerId)))
      this.#consumers.delete(consumerId);
    return hasRoomAgain;
  }

  /** Takes out what waits since before `moment`: all of it when omitted. It stays held until it is settled. */
  takeBack(moment = Number.POSITIVE_INFINITY): DueEvent[] {
    return [...this.#consumers.values()].flatMap((consumer) => {
      const old = consumer.waiting.filter(({ since }) => since < moment);
      if (old.length > 0) consumer.waiting = consumer.waiting.filter(({ since }) => since >= moment);
      return old.map(({ due }) => due);
    });
  }

  #consumerOf(id: number): Consumer {
    const known = this.#consumers.get(id);
    if (known) return known;
    const consumer: Consumer = { id, waiting: [], held: 0, quick: false, leftBehind: false };
    this.#consumers.set(id, consumer);
    return consumer;
  }

  #capacityOf(consumer: Consumer): number {
    return this.#slots.limit(consumerFlag(consumer.id)) + (consumer.quick ? QUICK_QUEUE : 0);
  }

  #roomOf(consumer: Consumer): number {
    return this.#capacityOf(consumer) - consumer.held;
  }
}
