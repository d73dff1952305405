/**
 * One outgoing RTP stream made of whatever sounds at the moment: packets relayed from another stream, generated frames,
 * silence. To the receiver it is one stream: the sequence number never jumps but where the relayed stream itself lost
 * packets, and the timestamp follows real time over every change of source. Pure: time comes in as `nowMs`.
 */
import { FRAME_SAMPLES, SAMPLE_RATE } from './g711.ts';
import { sequenceDistance, timestampDistance } from './packet.ts';

export interface StreamPosition {
  ssrc: number;
  /** Of the last packet sent. */
  sequenceNumber: number;
  timestamp: number;
}

/** Valid until the next packet is numbered. */
export interface PacketNumbers {
  sequenceNumber: number;
  timestamp: number;
  /** The receiver should resynchronise: the first packet of a talk spurt or after a change of source (RFC 3551 §4.1). */
  marker: boolean;
}

/** A gap in a relayed stream that is passed on as loss; a longer one is a new beginning. */
const MAX_GAP_PACKETS = 50;
/** A relayed timestamp may run ahead of ours by this much before we call it a jump. */
const MAX_AHEAD_SAMPLES = 2 * SAMPLE_RATE;

/**
 * Each change between relayed and generated frames moves our time on by a whole frame, however little has passed: a generated frame that
 * would come this far ahead of real time is left out. One frame and a half.
 */
const MAX_LEAD_SAMPLES = 1.5 * FRAME_SAMPLES;
/** A relayed stream whose time jumps by more than this takes our time with it. */
const MAX_CLOCK_ERROR_SAMPLES = 8 * FRAME_SAMPLES;
/** How fast our idea of real time follows a relayed stream's own clock: by this part of the difference per packet. */
const CLOCK_FOLLOWS = 1 / 512;

interface Relayed {
  ssrc: number;
  sequenceNumber: number;
  sequenceOffset: number;
  timestampOffset: number;
}

export class RtpSequencer {
  #ssrc: number;
  #sequenceNumber: number;
  #timestamp: number;
  #sentAtMs: number | null = null;
  #relayed: Relayed | null = null;
  /** The timestamp that real time asks for: `#clockTimestamp` at `#clockMs`. Unset before the first packet. */
  #clockTimestamp = 0;
  #clockMs = 0;
  /** Given to every caller: nothing is allocated per packet. */
  readonly #numbers: PacketNumbers = { sequenceNumber: 0, timestamp: 0, marker: false };

  constructor(start: StreamPosition) {
    this.#ssrc = start.ssrc;
    this.#sequenceNumber = start.sequenceNumber;
    this.#timestamp = start.timestamp;
  }

  get position(): StreamPosition {
    return { ssrc: this.#ssrc, sequenceNumber: this.#sequenceNumber, timestamp: this.#timestamp };
  }

  get ssrc(): number {
    return this.#ssrc;
  }

  get sentAtMs(): number | null {
    return this.#sentAtMs;
  }

  /** Goes on where somebody else (mediasoup) left off. */
  continueFrom(position: StreamPosition, nowMs: number): void {
    this.#ssrc = position.ssrc;
    this.#sequenceNumber = position.sequenceNumber;
    this.#timestamp = position.timestamp;
    this.#sentAtMs = nowMs;
    this.#relayed = null;
    this.#setClock(position.timestamp, nowMs);
  }

  /** PacketNumbers for a frame we made ourselves; null when it is to be left out, because the stream is ahead of time. */
  generated(nowMs: number): PacketNumbers | null {
    const next = (this.#timestamp + FRAME_SAMPLES) >>> 0;
    if (this.#sentAtMs !== null && this.#lead(next, nowMs) > MAX_LEAD_SAMPLES) return null;
    const fresh = this.#relayed !== null || this.#sentAtMs === null;
    this.#relayed = null;
    return this.#send((this.#sequenceNumber + 1) & 0xffff, this.#nextTimestamp(nowMs), fresh, nowMs);
  }

  /** PacketNumbers for a packet of the same event or frame as the last one: the sequence number goes on, the time stands. */
  sameTime(nowMs: number): PacketNumbers {
    return this.#send((this.#sequenceNumber + 1) & 0xffff, this.#timestamp, false, nowMs);
  }

  /** PacketNumbers for a packet relayed from another stream; null when it came too late to be placed before what was sent since. */
  relayed(
    from: { ssrc: number; sequenceNumber: number; timestamp: number; marker: boolean },
    nowMs: number,
  ): PacketNumbers | null {
    const known = this.#relayed;
    if (known?.ssrc === from.ssrc) {
      const step = sequenceDistance(from.sequenceNumber, known.sequenceNumber);
      if (step <= 0 && step > -MAX_GAP_PACKETS) return null;
      const timestamp = (from.timestamp + known.timestampOffset) >>> 0;
      const ahead = timestampDistance(timestamp, this.#timestamp);
      if (step > 0 && step <= MAX_GAP_PACKETS && ahead > 0 && ahead <= MAX_AHEAD_SAMPLES) {
        known.sequenceNumber = from.sequenceNumber;
        this.#follow(timestamp, nowMs);
        const sequenceNumber = (from.sequenceNumber + known.sequenceOffset) & 0xffff;
        return this.#send(sequenceNumber, timestamp, from.marker, nowMs);
      }
    }
    const sequenceNumber = (this.#sequenceNumber + 1) & 0xffff;
    const timestamp = this.#nextTimestamp(nowMs);
    this.#relayed = {
      ssrc: from.ssrc,
      sequenceNumber: from.sequenceNumber,
      sequenceOffset: (sequenceNumber - from.sequenceNumber) & 0xffff,
      timestampOffset: (timestamp - from.timestamp) >>> 0,
    };
    return this.#send(sequenceNumber, timestamp, true, nowMs);
  }

  /** How far a timestamp is ahead of real time, in samples. */
  #lead(timestamp: number, nowMs: number): number {
    const passed = ((nowMs - this.#clockMs) * SAMPLE_RATE) / 1_000;
    return timestampDistance(timestamp, (this.#clockTimestamp + passed) >>> 0);
  }

  #follow(timestamp: number, nowMs: number): void {
    const lead = this.#lead(timestamp, nowMs);
    if (Math.abs(lead) > MAX_CLOCK_ERROR_SAMPLES) this.#setClock(timestamp, nowMs);
    else this.#clockTimestamp += lead * CLOCK_FOLLOWS;
  }

  #setClock(timestamp: number, nowMs: number): void {
    this.#clockTimestamp = timestamp;
    this.#clockMs = nowMs;
  }

  /** At least one frame on, more when time has passed unsent; whole frames, so that a receiver's grid holds. */
  #nextTimestamp(nowMs: number): number {
    const behind = this.#sentAtMs === null ? 0 : -this.#lead(this.#timestamp, nowMs);
    const frames = Math.max(1, Math.round(behind / FRAME_SAMPLES));
    return (this.#timestamp + frames * FRAME_SAMPLES) >>> 0;
  }

  #send(sequenceNumber: number, timestamp: number, marker: boolean, nowMs: number): PacketNumbers {
    if (this.#sentAtMs === null) this.#setClock(timestamp, nowMs);
    this.#sequenceNumber = sequenceNumber;
    this.#timestamp = timestamp;
    this.#sentAtMs = nowMs;
    const numbers = this.#numbers;
    numbers.sequenceNumber = sequenceNumber;
    numbers.timestamp = timestamp;
    numbers.marker = marker;
    return numbers;
  }
}
