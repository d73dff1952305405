/**
 * Repacketizes one G.711 stream (RFC 3551 §4.2) to the packet length that the remote party asked for. G.711 has one
 * byte per sample, so bytes and timestamps count alike. Pure.
 *
 * Packets are renumbered; only the first keeps its number. Missing audio within a packet is replaced by silence.
 */
import { LAW_PAYLOAD_TYPE, SAMPLE_RATE, SILENCE, type Law } from './g711.ts';
import { timestampDistance, type RtpPacket } from './packet.ts';

export interface RepacketizerOptions {
  lawOf: (payloadType: number) => Law | null;
  /** The packet and its payload are valid only during the call. */
  send: (packet: RtpPacket) => void;
}

const MAX_FRAME_SAMPLES = (60 * SAMPLE_RATE) / 1_000;

export class Repacketizer {
  readonly #options: RepacketizerOptions;
  #frameSamples: number;
  readonly #pending = Buffer.alloc(MAX_FRAME_SAMPLES);
  #filled = 0;
  #sequenceNumber: number | null = null;
  /** Header of the packet that is being filled. */
  readonly #head = { payloadType: LAW_PAYLOAD_TYPE.PCMU as number, marker: false, timestamp: 0, ssrc: 0 };

  constructor(ptimeMs: number, options: RepacketizerOptions) {
    this.#options = options;
    this.#frameSamples = samplesOf(ptimeMs);
  }

  /** The remote party asks for another packet length. */
  set ptimeMs(ptimeMs: number) {
    if (samplesOf(ptimeMs) === this.#frameSamples) return;
    this.flush();
    this.#frameSamples = samplesOf(ptimeMs);
  }

  send(packet: RtpPacket): void {
    this.#sequenceNumber ??= (packet.sequenceNumber - 1) & 0xffff;
    const law = this.#options.lawOf(packet.payloadType);
    if (law === null) {
      // A telephone event is sent as its own packet, after the voice received before it.
      this.flush();
      this.#out(packet, packet.payload);
      return;
    }
    this.#makeContinuous(packet, law);
    for (let from = 0; from < packet.payload.length;) {
      if (this.#filled === 0) this.#begin(packet, from);
      const part = Math.min(packet.payload.length - from, this.#frameSamples - this.#filled);
      packet.payload.copy(this.#pending, this.#filled, from, from + part);
      this.#filled += part;
      from += part;
      if (this.#filled === this.#frameSamples) this.flush();
    }
  }

  /** Sends the pending audio in a packet that is shorter than requested. */
  flush(): void {
    if (this.#filled === 0) return;
    this.#out(this.#head, this.#pending.subarray(0, this.#filled));
    this.#filled = 0;
  }

  /** Fills a gap before this packet with silence, up to the end of the packet that is being filled. */
  #makeContinuous(packet: RtpPacket, law: Law): void {
    if (this.#filled === 0) return;
    const missing = timestampDistance(packet.timestamp, this.#head.timestamp) - this.#filled;
    if (missing < 0 || packet.payloadType !== this.#head.payloadType || packet.ssrc !== this.#head.ssrc) {
      this.flush();
      return;
    }
    const until = Math.min(this.#frameSamples, this.#filled + missing);
    this.#pending.fill(SILENCE[law], this.#filled, until);
    this.#filled = until;
    if (until === this.#frameSamples) this.flush();
  }

  #begin(packet: RtpPacket, from: number): void {
    this.#head.payloadType = packet.payloadType;
    this.#head.marker = packet.marker && from === 0;
    this.#head.timestamp = (packet.timestamp + from) >>> 0;
    this.#head.ssrc = packet.ssrc;
  }

  #out(head: Omit<RtpPacket, 'sequenceNumber' | 'payload'>, payload: Buffer): void {
    const sequenceNumber = ((this.#sequenceNumber ?? 0) + 1) & 0xffff;
    this.#sequenceNumber = sequenceNumber;
    const { payloadType, marker, timestamp, ssrc } = head;
    this.#options.send({ payloadType, marker, sequenceNumber, timestamp, ssrc, payload });
  }
}

const samplesOf = (ptimeMs: number): number => Math.min(MAX_FRAME_SAMPLES, (ptimeMs * SAMPLE_RATE) / 1_000);
