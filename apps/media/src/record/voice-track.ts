/**
 * One voice on the recording's time: RTP says where each packet stands in its own stream, its arrival says where that stream stands in
 * the recording. The earliest arrivals of the last seconds carry no jitter, so the stream is placedLength where they put it. A far end whose
 * clock runs fast or slow is followed by a sample in a packet, which nobody hears; one that jumps is followed at once. Pure.
 */
import { decodeTable } from '../rtp/g711.ts';
import { timestampDistance } from '../rtp/packet.ts';
import type { SpooledPacket } from './spool-format.ts';

/** The jitter of so long a time (and up to twice that) is looked at together. */
const WINDOW_SAMPLES = 2 * 8_000;
/** Less than this is left alone. */
const TOLERATED_SAMPLES = 8;
/** More than this is no drift: the stream is placedLength anew. */
const JUMP_SAMPLES = 40 * 8;
/** A new stream's first packets say where it stands: until then the earliest of them is followed at once. */
const SETTLING_SAMPLES = 8_000;
/** A stream this far from its arrival has begun anew, whatever its SSRC says. */
const LOST_SAMPLES = 2 * 8_000;

/** Samples of sound kept until they are taken: more than a packet can come late. A power of two. */
export const TRACK_SAMPLES = 32_768;
const MASK = TRACK_SAMPLES - 1;

export class VoiceTrack {
  readonly #ring = new Int16Array(TRACK_SAMPLES);
  /** Whether anything lies in the ring since it was last looked through. */
  #filledTo = 0;
  #ssrc: number | null = null;
  #lastTimestamp = 0;
  /** Position in the stream, without wrap-around. */
  #extended = 0;
  /** Recording position minus position in the stream. */
  #offset = 0;
  /** End of the packet that was placedLength last. */
  #placedTo = -Infinity;
  #beganAt = 0;
  #windowEndsAt = 0;
  #earliest = 0;
  #earliestBefore = 0;

  /** @param from samples before this have been taken already */
  add(packet: SpooledPacket, from: number): void {
    const { payload, at, timestamp, ssrc } = packet;
    const length = payload.length;
    if (length === 0) return;
    // What a packet brings was spoken before it came.
    const spokenAt = at - length;
    if (ssrc === this.#ssrc) this.#extended += timestampDistance(timestamp, this.#lastTimestamp);
    this.#lastTimestamp = timestamp;
    const isLost = Math.abs(this.#extended + this.#offset - spokenAt) > LOST_SAMPLES;
    if (ssrc !== this.#ssrc || isLost) this.#startStream(ssrc, spokenAt);
    const step = this.#follow(spokenAt);
    this.#place(packet, this.#extended + this.#offset, from, step);
    this.#offset += step;
  }

  /** Adds the samples from `from` on to `target` (every second one, from `offset`), and forgets them. */
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

  /** A stream that begins where the one before it left off goes on from there: how late its first packet is says nothing. */
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

  /** Where the stream should stand by the earliest arrivals; resolves the difference. @returns by how many samples this packet is stretched */
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
