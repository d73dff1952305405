/**
 * A voice that can be listened to: the packets of a far end, whoever serves it at the moment. While nobody listens nothing is done for
 * it. To a listener it is one stream over every move of its leg: SSRC and timestamps are the far end's own, and the sequence
 * numbers go on; only where the far end itself begins anew does the SSRC change.
 */
import { FRAME_SAMPLES, type Law } from '../rtp/g711.ts';
import { timestampDistance, type RtpPacket } from '../rtp/packet.ts';

export interface VoicePacket extends RtpPacket {
  law: Law;
}
/** The packet is valid during the call only: copy what you keep. `nowMs`: when it came, on performance.now. */
export type VoiceListener = (packet: VoicePacket, nowMs: number) => void;

/** Beyond this the far end's clock has jumped, and nothing tells how many packets that were. */
const MAX_PAUSE_SAMPLES = 60 * 8_000;

export class VoiceSource {
  readonly #listeners = new Set<VoiceListener>();
  readonly #onDemand: (wanted: boolean) => void;
  /** Passed to every listener, filled anew for every packet. */
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

  /** `onDemand` is told when the first listener comes and when the last one leaves. */
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

  /** The last packet, if it came after `sinceMs` (performance.now) and somebody listened then. */
  lastPacketSince(sinceMs: number): VoicePacket | null {
    return this.#receivedAtMs >= sinceMs ? this.#packet : null;
  }

  /**
   * @param ssrc the far end's own, where `from` has been renamed on its way
   * @param via what it came through; each numbers the packets in its own way
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

  /** By the time that has passed in the stream: how far its own numbers are from ours. */
  #offset(next: RtpPacket, ssrc: number): number {
    const last = this.#packet;
    const samples = timestampDistance(next.timestamp, last.timestamp);
    if (ssrc !== last.ssrc || Math.abs(samples) > MAX_PAUSE_SAMPLES) return this.#sequenceOffset;
    const step = Math.round(samples / (last.payload.length || FRAME_SAMPLES));
    return (last.sequenceNumber + step - next.sequenceNumber) & 0xffff;
  }
}
