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

export interface Numbers {
  sequenceNumber: number;
  timestamp: number;
  /** The receiver should resynchronise: the first packet of a talk spurt or after a change of source (RFC 3551 §4.1). */
  marker: boolean;
}

/** A gap in a relayed stream that is passed on as loss; a longer one is a new beginning. */
const MAX_GAP_PACKETS = 50;
/** A relayed timestamp may run ahead of ours by this much before we call it a jump. */
const MAX_AHEAD_SAMPLES = 2 * SAMPLE_RATE;

interface Relayed {
  ssrc: number;
  sequenceNumber: number;
  sequenceOffset: number;
  timestampOffset: number;
}

export class Continuity {
  #ssrc: number;
  #sequenceNumber: number;
  #timestamp: number;
  #sentAtMs: number | null = null;
  #relayed: Relayed | null = null;

  constructor(start: StreamPosition) {
    this.#ssrc = start.ssrc;
    this.#sequenceNumber = start.sequenceNumber;
    this.#timestamp = start.timestamp;
  }

  get position(): StreamPosition {
    return { ssrc: this.#ssrc, sequenceNumber: this.#sequenceNumber, timestamp: this.#timestamp };
  }

  get sentAtMs(): number | null {
    return this.#sentAtMs;
  }

  /** Goes on where somebody else (mediasoup) left off. */
  adopt(position: StreamPosition, nowMs: number): void {
    this.#ssrc = position.ssrc;
    this.#sequenceNumber = position.sequenceNumber;
    this.#timestamp = position.timestamp;
    this.#sentAtMs = nowMs;
    this.#relayed = null;
  }

  /** Numbers for a frame we made ourselves. */
  generated(nowMs: number): Numbers {
    const fresh = this.#relayed !== null || this.#sentAtMs === null;
    this.#relayed = null;
    return this.#send((this.#sequenceNumber + 1) & 0xffff, this.#nextTimestamp(nowMs), fresh, nowMs);
  }

  /** Numbers for a packet of the same event or frame as the last one: the sequence number goes on, the time stands. */
  sameTime(nowMs: number): Numbers {
    return this.#send((this.#sequenceNumber + 1) & 0xffff, this.#timestamp, false, nowMs);
  }

  /** Numbers for a packet relayed from another stream; null when it came too late to be placed before what was sent since. */
  relayed(
    from: { ssrc: number; sequenceNumber: number; timestamp: number; marker: boolean },
    nowMs: number,
  ): Numbers | null {
    const known = this.#relayed;
    if (known?.ssrc === from.ssrc) {
      const step = sequenceDistance(from.sequenceNumber, known.sequenceNumber);
      if (step <= 0 && step > -MAX_GAP_PACKETS) return null;
      const timestamp = (from.timestamp + known.timestampOffset) >>> 0;
      const ahead = timestampDistance(timestamp, this.#timestamp);
      if (step > 0 && step <= MAX_GAP_PACKETS && ahead > 0 && ahead <= MAX_AHEAD_SAMPLES) {
        known.sequenceNumber = from.sequenceNumber;
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

  /** At least one frame on, more when time has passed unsent; whole frames, so that a receiver's grid holds. */
  #nextTimestamp(nowMs: number): number {
    const sinceMs = this.#sentAtMs === null ? 0 : nowMs - this.#sentAtMs;
    const frames = Math.max(1, Math.round((sinceMs * SAMPLE_RATE) / 1_000 / FRAME_SAMPLES));
    return (this.#timestamp + frames * FRAME_SAMPLES) >>> 0;
  }

  #send(sequenceNumber: number, timestamp: number, marker: boolean, nowMs: number): Numbers {
    this.#sequenceNumber = sequenceNumber;
    this.#timestamp = timestamp;
    this.#sentAtMs = nowMs;
    return { sequenceNumber, timestamp, marker };
  }
}
