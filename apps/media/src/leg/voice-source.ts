/**
 * A voice that other parts can listen to: the packets of a remote party, from whichever endpoint serves it. Without
 * listeners it does no work. A listener receives one continuous stream across hand-overs, with the remote party's SSRC
 * and timestamps and consecutive sequence numbers. The SSRC changes only when the remote party changes it.
 */
import { FRAME_SAMPLES, type Law } from '../rtp/g711.ts';
import { timestampDistance, type RtpPacket } from '../rtp/packet.ts';

export interface VoicePacket extends RtpPacket {
  law: Law;
}
/** The packet is valid only during the call: copy what you keep. `nowMs` is its arrival time (performance.now). */
export type VoiceListener = (packet: VoicePacket, nowMs: number) => void;

/**
 * A larger difference means that the remote party's clock has jumped, and the number of packets in between is unknown.
 */
const MAX_PAUSE_SAMPLES = 60 * 8_000;

export class VoiceSource {
  readonly #listeners = new Set<VoiceListener>();
  readonly #onDemand: (wanted: boolean) => void;
  /** Passed to every listener; reused for every packet. */
  readonly #packet: VoicePacket = {
    payloadType: 0,
    marker: false,
    sequenceNumber: 0,
    timestamp: 0,
    ssrc: 0,
    payload: Buffer.alloc(0),
    law: 'PCMU',
  };
  #receivedAtMs = -Infinity;
  #via: object | null = null;
  #sequenceOffset = 0;

  /** @param onDemand called when the first listener is added and when the last one is removed */
  constructor(onDemand: (wanted: boolean) => void = () => undefined) {
    this.#onDemand = onDemand;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  listen(listener: VoiceListener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#onDemand(true);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#onDemand(false);
    };
  }

  /** The last packet, if it arrived after `sinceMs` (performance.now) while there was a listener. */
  lastPacketSince(sinceMs: number): VoicePacket | null {
    return this.#receivedAtMs >= sinceMs ? this.#packet : null;
  }

  /**
   * @param ssrc the remote party's own SSRC, if `from` was renumbered
   * @param via identifies the numbering: each path numbers the packets differently
   */
  push(from: RtpPacket, law: Law, ssrc: number, via: object, nowMs: number): void {
    const packet = this.#packet;
    if (via !== this.#via) {
      this.#sequenceOffset = this.#via === null ? 0 : this.#offset(from, ssrc);
      this.#via = via;
    }
    packet.payloadType = from.payloadType;
    packet.marker = from.marker;
    packet.sequenceNumber = (from.sequenceNumber + this.#sequenceOffset) & 0xffff;
    packet.timestamp = from.timestamp;
    packet.ssrc = ssrc;
    packet.payload = from.payload;
    packet.law = law;
    this.#receivedAtMs = nowMs;
    for (const listener of this.#listeners) listener(packet, nowMs);
  }

  /** The difference to our sequence numbers, from the time that has passed in the stream. */
  #offset(next: RtpPacket, ssrc: number): number {
    const last = this.#packet;
    const samples = timestampDistance(next.timestamp, last.timestamp);
    if (ssrc !== last.ssrc || Math.abs(samples) > MAX_PAUSE_SAMPLES) return this.#sequenceOffset;
    const step = Math.round(samples / (last.payload.length || FRAME_SAMPLES));
    return (last.sequenceNumber + step - next.sequenceNumber) & 0xffff;
  }
}
