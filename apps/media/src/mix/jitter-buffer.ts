/**
 * Aligns one voice with our clock: packets are pushed as they arrive, and 20 ms are pulled at every tick. The delay
 * adapts: a late packet increases it by 20 ms; if no packet was close to being late for two seconds, it decreases by 20
 * ms. A missing frame is concealed by the previous frame, mirrored (so that it joins without a step) and fading, and
 * after 60 ms by silence. Pure: time is the number of ticks. Nothing is allocated after construction.
 */
import { decodeTable, FRAME_SAMPLES, type Law } from '../rtp/g711.ts';
import { timestampDistance } from '../rtp/packet.ts';

const SLOTS = 32;
const RING_SAMPLES = SLOTS * FRAME_SAMPLES;
/** The maximum delay: 200 ms. */
export const MAX_DELAY_FRAMES = 10;
const MAX_AHEAD_SAMPLES = MAX_DELAY_FRAMES * FRAME_SAMPLES;
/** A packet that is later than this is treated as a jump in time. */
const MAX_LATE_SAMPLES = MAX_DELAY_FRAMES * FRAME_SAMPLES;
/** How long a new stream waits before its first frame is output, in addition to the time to the next tick. */
const START_FRAMES = 1;
/** If every packet in these two seconds was at least `SPARE_SAMPLES` early, the delay is too long. */
const SHRINK_AFTER_TICKS = 100;
const SPARE_SAMPLES = 2 * FRAME_SAMPLES;
/** The number of frames over which concealment fades to silence. */
const FADE_FRAMES = 3;
/** The cross-fade from concealment to a returning voice: 5 ms. */
const JOIN_SAMPLES = 40;
/** After one second of silence, the next packet restarts the stream. */
const IDLE_TICKS = 50;

export class JitterBuffer {
  /** Packets that arrived too late. */
  late = 0;
  /** Concealed frames. */
  concealed = 0;
  /** Frames that were skipped to shorten the delay. */
  skipped = 0;
  readonly #ring = new Int16Array(RING_SAMPLES);
  readonly #slots = Array.from({ length: SLOTS }, (_, slot) =>
    this.#ring.subarray(slot * FRAME_SAMPLES, (slot + 1) * FRAME_SAMPLES),
  );
  /** The number of samples in each slot. */
  readonly #filled = new Uint16Array(SLOTS);
  readonly #seed = new Int16Array(FRAME_SAMPLES);
  /** The last frame that was output as received: its slot, which is not overwritten until it has faded, or the seed. */
  #last = this.#seed;
  readonly #out = new Int16Array(FRAME_SAMPLES);
  #running = false;
  #ssrc = 0;
  /** Timestamp and slot of the first sample that is due at the next tick. */
  #dueTimestamp = 0;
  #dueSlot = 0;
  /** The number of ticks by which output is delayed. */
  #hold = 0;
  /** Concealed frames since the last real one. */
  #missing = FADE_FRAMES;
  #idle = 0;
  #leastSpare = Infinity;
  #window = 0;
  /** The timestamp that would follow a stray packet. */
  #strayNext = -1;

  /** The number of buffered frames. */
  get waiting(): number {
    let waiting = 0;
    for (let slot = 0; slot < SLOTS; slot += 1) if ((this.#filled[slot] ?? 0) > 0) waiting += 1;
    return waiting;
  }

  /** Provides the last audio of this voice that was heard without the buffer, so that it continues without a break. */
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
      // A single stray packet does not restart the stream; a second one that follows it does.
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

  /** Returns the next 20 ms; valid until the next call. */
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

  /** Shortens the delay by one frame: drops a missing frame, or cross-fades two others. */
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

  /** Writes a concealed frame to `#out`. */
  #conceal(): Int16Array {
    if (this.#missing >= FADE_FRAMES) {
      this.#out.fill(0);
      return this.#out;
    }
    for (let index = 0; index < FRAME_SAMPLES; index += 1) this.#out[index] = this.#madeUp(index);
    this.#missing += 1;
    return this.#out;
  }

  /** Sample `index` of the next concealed frame: the last frame alternately backwards and forwards, fading. */
  #madeUp(index: number): number {
    if (this.#missing >= FADE_FRAMES) return 0;
    const from = this.#missing % 2 === 0 ? FRAME_SAMPLES - 1 - index : index;
    const gain = 1 - (this.#missing + index / FRAME_SAMPLES) / FADE_FRAMES;
    return (this.#last[from] ?? 0) * gain;
  }

  /** Cross-fades from concealment to the received samples. */
  #join(samples: Int16Array): void {
    // The concealed audio mirrors the frame before the gap, so the cross-fade starts at the last sample of `#out`.
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
      // The part of a slot that no packet fills must be silent instead of old audio.
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
