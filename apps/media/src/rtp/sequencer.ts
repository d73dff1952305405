/**
 * Numbers one outgoing RTP stream that consists of relayed packets, generated frames and silence. The receiver sees one
 * continuous stream: sequence numbers have gaps only where the relayed stream lost packets, and timestamps follow real
 * time across changes of source. Pure: time is passed as `nowMs`.
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
  /**
   * The receiver should resynchronise: the first packet of a talk spurt or after a change of source (RFC 3551 §4.1).
   */
  marker: boolean;
}

/** A longer gap in a relayed stream is not passed on as loss but restarts the numbering. */
const MAX_GAP_PACKETS = 50;
/** A relayed timestamp that is further ahead of ours counts as a jump. */
const MAX_AHEAD_SAMPLES = 2 * SAMPLE_RATE;

/**
 * Each change between relayed and generated frames advances our timestamps by a whole frame, however little time has
 * passed. A generated frame that would be this far ahead of real time is skipped. One and a half frames.
 */
const MAX_LEAD_SAMPLES = 1.5 * FRAME_SAMPLES;
/** A larger jump in a relayed stream resets our clock. */
const MAX_CLOCK_ERROR_SAMPLES = 8 * FRAME_SAMPLES;
/** How fast our clock adapts to that of a relayed stream: the fraction of the difference per packet. */
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
  /** The timestamp that matches real time: `#clockTimestamp` at `#clockMs`. Not set before the first packet. */
  #clockTimestamp = 0;
  #clockMs = 0;
  /** Returned to every caller: nothing is allocated per packet. */
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

  /** Continues the numbering of another sender (mediasoup). */
  continueFrom(position: StreamPosition, nowMs: number): void {
    this.#ssrc = position.ssrc;
    this.#sequenceNumber = position.sequenceNumber;
    this.#timestamp = position.timestamp;
    this.#sentAtMs = nowMs;
    this.#relayed = null;
    this.#setClock(position.timestamp, nowMs);
  }

  /** Numbers for a generated frame; null if it must be skipped because the stream is ahead of time. */
  generated(nowMs: number): PacketNumbers | null {
    const next = (this.#timestamp + FRAME_SAMPLES) >>> 0;
    if (this.#sentAtMs !== null && this.#lead(next, nowMs) > MAX_LEAD_SAMPLES) return null;
    const fresh = this.#relayed !== null || this.#sentAtMs === null;
    this.#relayed = null;
    return this.#send((this.#sequenceNumber + 1) & 0xffff, this.#nextTimestamp(nowMs), fresh, nowMs);
  }

  /**
   * Numbers for a packet of the same event or frame as the last one: the sequence number increases, the timestamp does
   * not.
   */
  sameTime(nowMs: number): PacketNumbers {
    return this.#send((this.#sequenceNumber + 1) & 0xffff, this.#timestamp, false, nowMs);
  }

  /** Numbers for a packet relayed from another stream; null if it arrived after later packets were sent. */
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

  /** At least one frame later, or more if time has passed without packets; always whole frames. */
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
