/**
 * Decodes the customer's Opus to G.711 at 8 kHz, numbered as one stream whatever the remote party's numbers do. A single
 * lost packet is restored from the redundancy in the next one (in-band FEC, RFC 6716 §2.1.7); further losses remain gaps,
 * which jitter buffers conceal.
 */
import { createDecoder, type OpusDecoderHandle } from 'libopus-wasm';
import { encodeInto, FRAME_SAMPLES, LAW_PAYLOAD_TYPE, SAMPLE_RATE, type Law } from '../rtp/g711.ts';
import { sequenceDistance, timestampDistance, type RtpPacket } from '../rtp/packet.ts';

/** RFC 7587 §4.1: the clock rate of Opus in RTP is always 48 kHz. */
export const OPUS_CLOCK_RATE = 48_000;
export const TICKS_PER_SAMPLE = OPUS_CLOCK_RATE / SAMPLE_RATE;
/** An Opus packet contains at most 120 ms. */
const MAX_PACKET_SAMPLES = (120 * SAMPLE_RATE) / 1_000;
/** A larger jump backwards is a new stream, not a late packet. */
const MAX_LATE_PACKETS = 50;
/** After a larger jump the time that has passed decides. */
const MAX_JUMP_SAMPLES = 60 * SAMPLE_RATE;

interface Position {
  ssrc: number;
  sequenceNumber: number;
  timestamp: number;
}

export class OpusInput {
  /** Packets that are not Opus. */
  undecodable = 0;
  readonly #decoder: OpusDecoderHandle;
  readonly #law: Law;
  readonly #onVoice: (packet: RtpPacket, nowMs: number) => void;
  #last: Position | null = null;
  /** The length of the last packet that was decoded. */
  #lastSamples = FRAME_SAMPLES;
  #lastAtMs = 0;
  readonly #payload = Buffer.alloc(MAX_PACKET_SAMPLES);
  readonly #packet: RtpPacket;

  private constructor(
    decoder: OpusDecoderHandle,
    law: Law,
    ssrc: number,
    onVoice: (packet: RtpPacket, nowMs: number) => void,
  ) {
    this.#decoder = decoder;
    this.#law = law;
    this.#onVoice = onVoice;
    this.#packet = {
      payloadType: LAW_PAYLOAD_TYPE[law],
      marker: false,
      sequenceNumber: 0,
      timestamp: 0,
      ssrc,
      payload: this.#payload,
    };
  }

  /**
   * @param ssrc of the decoded stream
   * @param onVoice the packet and its payload are valid only during the call
   */
  static async create(
    law: Law,
    ssrc: number,
    onVoice: (packet: RtpPacket, nowMs: number) => void,
  ): Promise<OpusInput> {
    const decoder = await createDecoder({ sampleRate: SAMPLE_RATE, channels: 1 });
    return new OpusInput(decoder, law, ssrc, onVoice);
  }

  receive(packet: RtpPacket, nowMs: number): void {
    const last = this.#last;
    const step =
      last?.ssrc === packet.ssrc ? sequenceDistance(packet.sequenceNumber, last.sequenceNumber) : null;
    // The decoder cannot go back.
    if (step !== null && step <= 0 && step > -MAX_LATE_PACKETS) return;
    const { ssrc, sequenceNumber, timestamp } = packet;
    const samples =
      step !== null && last ? timestampDistance(timestamp, last.timestamp) / TICKS_PER_SAMPLE : -1;
    const continues = step !== null && step > 0 && samples > 0 && samples <= MAX_JUMP_SAMPLES;
    this.#advance(
      continues ? step : 1,
      continues ? Math.round(samples) : this.#samplesSince(nowMs),
      nowMs,
      continues && step === 2 ? packet.payload : null,
    );
    this.#last = { ssrc, sequenceNumber, timestamp };
    this.#lastAtMs = nowMs;
    this.#packet.marker = !continues;
    this.#decode(packet.payload, nowMs, false);
  }

  close(): void {
    this.#decoder.free();
  }

  /** Whole frames since the last packet, for a stream that does not continue it. */
  #samplesSince(nowMs: number): number {
    if (this.#last === null) return 0;
    const samples = ((nowMs - this.#lastAtMs) * SAMPLE_RATE) / 1_000;
    return Math.max(1, Math.round(samples / FRAME_SAMPLES)) * FRAME_SAMPLES;
  }

  /** @param redundant a packet that may contain the one before it, which is missing */
  #advance(steps: number, samples: number, nowMs: number, redundant: Buffer | null): void {
    const packet = this.#packet;
    const { sequenceNumber, timestamp } = packet;
    if (redundant && samples === 2 * this.#lastSamples) {
      packet.sequenceNumber = (sequenceNumber + 1) & 0xffff;
      packet.timestamp = (timestamp + this.#lastSamples) >>> 0;
      packet.marker = false;
      this.#decode(redundant, nowMs, true);
    }
    packet.sequenceNumber = (sequenceNumber + steps) & 0xffff;
    packet.timestamp = (timestamp + samples) >>> 0;
  }

  #decode(payload: Buffer, nowMs: number, lost: boolean): void {
    const pcm = this.#decoded(payload, lost);
    if (!pcm || pcm.length === 0) return;
    this.#lastSamples = pcm.length;
    encodeInto(this.#law, pcm, this.#payload, 0);
    this.#packet.payload = this.#payload.subarray(0, pcm.length);
    this.#onVoice(this.#packet, nowMs);
  }

  #decoded(payload: Buffer, lost: boolean): Int16Array | null {
    try {
      return this.#decoder.decode(payload, lost ? { decodeFec: true, frameSize: this.#lastSamples } : {});
    } catch {
      this.undecodable += 1;
      return null;
    }
  }
}
