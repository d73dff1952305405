/**
 * Places one voice on the timeline of the recording. RTP timestamps give the position of a packet in its stream, and
 * arrival times give the position of the stream in the recording. The earliest arrivals of the last seconds have the
 * least jitter and decide. A remote clock that is fast or slow is compensated by one sample per packet, which is
 * inaudible; a jump is followed immediately. Pure.
 */
import { decodeTable } from '../rtp/g711.ts';
import { timestampDistance } from '../rtp/packet.ts';
import type { SpooledPacket } from './spool-format.ts';

/** Jitter is evaluated over this period (up to twice as long). */
const WINDOW_SAMPLES = 2 * 8_000;
/** A smaller error is not corrected. */
const TOLERATED_SAMPLES = 8;
/** A larger error is not drift: the stream is repositioned. */
const JUMP_SAMPLES = 40 * 8;
/** During this time at the start of a stream, an earlier arrival repositions it immediately. */
const SETTLING_SAMPLES = 8_000;
/** A stream this far from its arrival time is treated as new, even with the same SSRC. */
const LOST_SAMPLES = 2 * 8_000;

/** Samples kept until they are taken: longer than a packet can be late. A power of two. */
export const TRACK_SAMPLES = 32_768;
const MASK = TRACK_SAMPLES - 1;

export class VoiceTrack {
  readonly #ring = new Int16Array(TRACK_SAMPLES);
  /** The end of the samples in the ring. */
  #filledTo = 0;
  #ssrc: number | null = null;
  #lastTimestamp = 0;
  /** Position in the stream, without wrap-around. */
  #extended = 0;
  /** Position in the recording minus position in the stream. */
  #offset = 0;
  /** End of the last packet in the recording. */
  #placedTo = -Infinity;
  #beganAt = 0;
  #windowEndsAt = 0;
  #earliest = 0;
  #earliestBefore = 0;

  /** @param from samples before this have already been taken */
  add(packet: SpooledPacket, from: number): void {
    const { payload, at, timestamp, ssrc } = packet;
    const length = payload.length;
    if (length === 0) return;
    // The samples of a packet were spoken before it arrived.
    const spokenAt = at - length;
    if (ssrc === this.#ssrc) this.#extended += timestampDistance(timestamp, this.#lastTimestamp);
    this.#lastTimestamp = timestamp;
    const isLost = Math.abs(this.#extended + this.#offset - spokenAt) > LOST_SAMPLES;
    if (ssrc !== this.#ssrc || isLost) this.#startStream(ssrc, spokenAt);
    const step = this.#follow(spokenAt);
    this.#place(packet, this.#extended + this.#offset, from, step);
    this.#offset += step;
  }

  /** Adds the samples from `from` on to `target` (every second element, starting at `offset`) and clears them. */
  take(from: number, count: number, target: Int32Array, offset: number): boolean {
    if (from >= this.#filledTo) return false;
    const ring = this.#ring;
    for (let index = 0; index < count; index += 1) {
      const at = (from + index) & MASK;
      target[offset + 2 * index] = (target[offset + 2 * index] ?? 0) + (ring[at] ?? 0);
      ring[at] = 0;
    }
    return true;
  }

  /**
   * A stream that starts where the previous one ended continues from there, because the delay of its first packet is
   * unknown.
   */
  #startStream(ssrc: number, spokenAt: number): void {
    const late = spokenAt - this.#placedTo;
    const start = late >= 0 && late <= JUMP_SAMPLES ? this.#placedTo : spokenAt;
    this.#ssrc = ssrc;
    this.#extended = 0;
    this.#offset = start;
    this.#beganAt = spokenAt;
    this.#windowEndsAt = spokenAt + WINDOW_SAMPLES;
    this.#earliest = start;
    this.#earliestBefore = spokenAt;
  }

  /** Corrects the position by the earliest arrivals. @returns by how many samples this packet is stretched */
  #follow(spokenAt: number): -1 | 0 | 1 {
    const own = spokenAt - this.#extended;
    if (spokenAt >= this.#windowEndsAt) {
      this.#earliestBefore = this.#earliest;
      this.#earliest = own;
      this.#windowEndsAt = spokenAt + WINDOW_SAMPLES;
    } else if (own < this.#earliest) {
      this.#earliest = own;
    }
    const error = Math.min(this.#earliest, this.#earliestBefore) - this.#offset;
    const settling = spokenAt - this.#beganAt < SETTLING_SAMPLES && error < 0;
    if (Math.abs(error) > JUMP_SAMPLES || settling) {
      this.#offset += error;
      return 0;
    }
    if (Math.abs(error) <= TOLERATED_SAMPLES) return 0;
    return error > 0 ? 1 : -1;
  }

  #place({ payload, law }: SpooledPacket, position: number, from: number, step: -1 | 0 | 1): void {
    const table = decodeTable[law];
    const ring = this.#ring;
    const length = payload.length;
    const placedLength = length + step;
    const first = Math.max(position, from);
    const end = Math.min(position + placedLength, from + TRACK_SAMPLES);
    if (step === 0) {
      for (let at = first; at < end; at += 1) ring[at & MASK] = table[payload[at - position] ?? 0] ?? 0;
    } else {
      const scale = (length - 1) / Math.max(1, placedLength - 1);
      for (let at = first; at < end; at += 1) {
        const exact = (at - position) * scale;
        const before = Math.floor(exact);
        const low = table[payload[before] ?? 0] ?? 0;
        const high = table[payload[Math.min(before + 1, length - 1)] ?? 0] ?? 0;
        ring[at & MASK] = Math.round(low + (high - low) * (exact - before));
      }
    }
    if (end > this.#filledTo) this.#filledTo = end;
    this.#placedTo = position + placedLength;
  }
}
