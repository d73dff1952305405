/**
 * Receive statistics of one leg: loss and jitter according to RFC 3550 appendix A. Pure: arrival times are passed in.
 */
import { SAMPLE_RATE } from './g711.ts';
import { sequenceDistance, type RtpPacket } from './packet.ts';

/** A larger jump in sequence numbers is not counted as loss. */
const MAX_GAP_PACKETS = 3_000;

export class ReceiveStats {
  packets = 0;
  bytes = 0;
  lost = 0;
  /** Interarrival jitter in samples. */
  jitter = 0;
  ssrcChanges = 0;
  lastArrivalMs: number | null = null;
  #ssrc: number | null = null;
  #highest = 0;
  #transit: number | null = null;
  /** The other endpoint received the stream in the meantime: missing packets are not lost. */
  #resumed = false;

  get ssrc(): number | null {
    return this.#ssrc;
  }

  /** The highest sequence number seen (16 bits), for receiver reports. */
  get highestSequence(): number {
    return this.#highest;
  }

  get jitterMs(): number {
    return (this.jitter * 1_000) / SAMPLE_RATE;
  }

  /** The stream arrives here again after the other endpoint received it. */
  resume(): void {
    this.#resumed = this.#ssrc !== null;
  }

  /** A new source follows, whose SSRC is not known yet. */
  reset(): void {
    this.#ssrc = null;
    this.#resumed = false;
  }

  received(packet: RtpPacket, nowMs: number): void {
    this.packets += 1;
    this.bytes += packet.payload.length;
    this.lastArrivalMs = nowMs;
    const transit = (nowMs * SAMPLE_RATE) / 1_000 - packet.timestamp;
    if (this.#ssrc !== packet.ssrc || this.#resumed) {
      if (this.#ssrc !== null && this.#ssrc !== packet.ssrc) this.ssrcChanges += 1;
      this.#resumed = false;
      this.#ssrc = packet.ssrc;
      this.#highest = packet.sequenceNumber;
      this.#transit = transit;
      return;
    }
    const step = sequenceDistance(packet.sequenceNumber, this.#highest);
    if (step > 0) {
      if (step <= MAX_GAP_PACKETS) this.lost += step - 1;
      this.#highest = packet.sequenceNumber;
    } else if (step < 0 && this.lost > 0) {
      this.lost -= 1;
    }
    if (this.#transit !== null) {
      const difference = Math.abs(transit - this.#transit);
      if (difference < SAMPLE_RATE) this.jitter += (difference - this.jitter) / 16;
    }
    this.#transit = transit;
  }
}
