/**
 * One voice brought into step with our clock: packets go in as they come, 20 ms come out at every tick. Its delay adapts: a packet
 * that comes too late makes it 20 ms longer; when for two seconds nothing has come close to being late, 20 ms are taken out. What
 * is missing is the last frame, mirrored and fading (mirrored, because it then joins without a step), and after 60 ms silence.
 * Pure: nobody's clock but the number of ticks. Nothing is allocated after construction.
 */
import { decodeTable, FRAME_SAMPLES, type Law } from '../rtp/g711.ts';
import { timestampDistance } from '../rtp/packet.ts';

const SLOTS = 32;
const RING_SAMPLES = SLOTS * FRAME_SAMPLES;
/** More than this is never kept waiting: 200 ms. */
export const MAX_DELAY_FRAMES = 10;
const MAX_AHEAD_SAMPLES = MAX_DELAY_FRAMES * FRAME_SAMPLES;
/** Later than this is another time, not late. */
const MAX_LATE_SAMPLES = MAX_DELAY_FRAMES * FRAME_SAMPLES;
/** What a new stream waits before its first frame is heard, besides the time to the next tick. */
const START_FRAMES = 1;
/** Two seconds in which every packet came earlier than `SPARE_SAMPLES` before it was due: the delay is longer than it need be. */
const SHRINK_AFTER_TICKS = 100;
const SPARE_SAMPLES = 2 * FRAME_SAMPLES;
/** Frames over which what is missing fades away. */
const FADE_FRAMES = 3;
/** Samples over which a voice that comes back takes the place of what was made up: 5 ms. */
const JOIN_SAMPLES = 40;
/** A stream silent for one second begins anew with its next packet. */
const IDLE_TICKS = 50;

export class JitterBuffer {
  /** Packets that came when their time was over. */
  late = 0;
  /** Frames that were made up. */
  concealed = 0;
  /** Frames that were taken out to shorten the delay. */
  skipped = 0;
  readonly #ring = new Int16Array(RING_SAMPLES);
  readonly #slots = Array.from({ length: SLOTS }, (_, slot) =>
    this.#ring.subarray(slot * FRAME_SAMPLES, (slot + 1) * FRAME_SAMPLES),
  );
  /** Samples written into each slot. */
  readonly #filled = new Uint16Array(SLOTS);
  readonly #seed = new Int16Array(FRAME_SAMPLES);
  /** The last frame that was heard as it was sent: its slot, which is not written to again before it has faded away, or the seed. */
  #last = this.#seed;
  readonly #out = new Int16Array(FRAME_SAMPLES);
  #running = false;
  #ssrc = 0;
  /** Of the first sample that is due at the next tick, and its slot. */
  #dueTimestamp = 0;
  #dueSlot = 0;
  /** Ticks for which the stream is kept waiting. */
  #hold = 0;
  /** Made-up frames since the last real one. */
  #missing = FADE_FRAMES;
  #idle = 0;
  #leastSpare = Infinity;
  #window = 0;
  /** Where a packet from another time would be followed by the next one. */
  #strayNext = -1;

  /** Frames that wait at the moment. */
  get waiting(): number {
    let waiting = 0;
    for (let slot = 0; slot < SLOTS; slot += 1) if ((this.#filled[slot] ?? 0) > 0) waiting += 1;
    return waiting;
  }

  /** What was heard of this voice a moment ago by other ways, so that it goes on without a break. */
  seed(payload: Uint8Array, law: Law): void {
    const table = decodeTable[law];
    const first = Math.max(0, payload.length - FRAME_SAMPLES);
    for (let index = 0; index < FRAME_SAMPLES; index += 1) {
      this.#seed[index] = table[payload[first + index] ?? 0] ?? 0;
    }
    this.#last = this.#seed;
    this.#missing = 0;
  }

  push(payload: Uint8Array, law: Law, timestamp: number, ssrc: number): void {
    if (payload.length === 0 || payload.length > MAX_AHEAD_SAMPLES) return;
    if (!this.#running || ssrc !== this.#ssrc) this.#restart(timestamp, ssrc);
    let offset = timestampDistance(timestamp, this.#dueTimestamp);
    if (offset > MAX_AHEAD_SAMPLES || offset < -MAX_LATE_SAMPLES) {
      // One stray packet is no new beginning; the one that follows it is.
      const follows = timestamp === this.#strayNext;
      this.#strayNext = (timestamp + payload.length) >>> 0;
      if (!follows) return;
      this.#restart(timestamp, ssrc);
      offset = 0;
    }
    this.#idle = 0;
    if (offset + payload.length <= 0) {
      this.late += 1;
      this.#hold = 1;
      this.#leastSpare = 0;
      return;
    }
    if (offset < this.#leastSpare) this.#leastSpare = offset;
    this.#write(payload, law, offset);
  }

  /** The next 20 ms; valid until the next call. */
  pull(): Int16Array {
    if (!this.#running) return this.#conceal();
    this.#idle += 1;
    if (this.#idle > IDLE_TICKS) {
      this.#running = false;
      return this.#conceal();
    }
    if (this.#hold > 0) {
      this.#hold -= 1;
      return this.#conceal();
    }
    const shrinks = this.#mayShrink();
    const slot = this.#dueSlot;
    if ((this.#filled[slot] ?? 0) === 0 && !shrinks) {
      this.#advance();
      this.concealed += 1;
      return this.#conceal();
    }
    if (shrinks) return this.#skip();
    return this.#take(slot);
  }

  #take(slot: number): Int16Array {
    const samples = this.#slots[slot];
    if (!samples) return this.#out;
    const joins = this.#missing > 0;
    if (joins) this.#join(samples);
    this.#last = samples;
    this.#missing = 0;
    this.#filled[slot] = 0;
    this.#advance();
    return joins ? this.#out : samples;
  }

  /** One frame less: a missing one is passed over, two others are faded into each other. */
  #skip(): Int16Array {
    const [slot, after] = [this.#dueSlot, (this.#dueSlot + 1) % SLOTS];
    const [first, second] = [this.#slots[slot], this.#slots[after]];
    this.skipped += 1;
    if (first && second && (this.#filled[slot] ?? 0) > 0 && (this.#filled[after] ?? 0) > 0) {
      for (let index = 0; index < FRAME_SAMPLES; index += 1) {
        const from = first[index] ?? 0;
        second[index] = from + (((second[index] ?? 0) - from) * index) / FRAME_SAMPLES;
      }
    }
    this.#filled[slot] = 0;
    this.#advance();
    if ((this.#filled[after] ?? 0) > 0) return this.#take(after);
    this.#advance();
    this.concealed += 1;
    return this.#conceal();
  }

  /** A made-up frame in `#out`. */
  #conceal(): Int16Array {
    if (this.#missing >= FADE_FRAMES) {
      this.#out.fill(0);
      return this.#out;
    }
    for (let index = 0; index < FRAME_SAMPLES; index += 1) this.#out[index] = this.#madeUp(index);
    this.#missing += 1;
    return this.#out;
  }

  /** Sample `index` of the frame that would be made up next: backwards and forwards by turns, fading. */
  #madeUp(index: number): number {
    if (this.#missing >= FADE_FRAMES) return 0;
    const from = this.#missing % 2 === 0 ? FRAME_SAMPLES - 1 - index : index;
    const gain = 1 - (this.#missing + index / FRAME_SAMPLES) / FADE_FRAMES;
    return (this.#last[from] ?? 0) * gain;
  }

  /** From what is made up to what is there again. */
  #join(samples: Int16Array): void {
    // What was made up mirrors the frame before the gap, which `#out` ended with: its last sample is where we begin.
    const before = this.#out[FRAME_SAMPLES - 1] ?? 0;
    for (let index = 0; index < JOIN_SAMPLES; index += 1) {
      const weight = index / JOIN_SAMPLES;
      this.#out[index] = before * (1 - weight) + (samples[index] ?? 0) * weight;
    }
    this.#out.set(samples.subarray(JOIN_SAMPLES), JOIN_SAMPLES);
  }

  #mayShrink(): boolean {
    this.#window += 1;
    if (this.#window < SHRINK_AFTER_TICKS) return false;
    const shrinks = this.#leastSpare >= SPARE_SAMPLES && this.#leastSpare !== Infinity;
    this.#window = 0;
    this.#leastSpare = Infinity;
    return shrinks;
  }

  #write(payload: Uint8Array, law: Law, offset: number): void {
    const table = decodeTable[law];
    const skip = offset < 0 ? -offset : 0;
    let at = (this.#dueSlot * FRAME_SAMPLES + offset + skip) % RING_SAMPLES;
    let from = skip;
    while (from < payload.length) {
      const slot = Math.floor(at / FRAME_SAMPLES);
      const part = Math.min(payload.length - from, (slot + 1) * FRAME_SAMPLES - at);
      const filled = this.#filled[slot] ?? 0;
      // What no packet brings is silence, not what was here before.
      if (filled === 0 && part < FRAME_SAMPLES) this.#slots[slot]?.fill(0);
      for (let index = 0; index < part; index += 1) {
        this.#ring[at + index] = table[payload[from + index] ?? 0] ?? 0;
      }
      this.#filled[slot] = Math.min(FRAME_SAMPLES, filled + part);
      from += part;
      at = (at + part) % RING_SAMPLES;
    }
  }

  #restart(timestamp: number, ssrc: number): void {
    this.#filled.fill(0);
    this.#running = true;
    this.#ssrc = ssrc;
    this.#dueTimestamp = timestamp >>> 0;
    this.#hold = START_FRAMES;
    this.#idle = 0;
    this.#window = 0;
    this.#leastSpare = Infinity;
  }

  #advance(): void {
    this.#dueTimestamp = (this.#dueTimestamp + FRAME_SAMPLES) >>> 0;
    this.#dueSlot = (this.#dueSlot + 1) % SLOTS;
  }
}
