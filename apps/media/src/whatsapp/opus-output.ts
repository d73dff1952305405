/**
 * Encodes what the player produces for a customer (G.711 and telephone events) as the RTP stream of the leg: Opus in
 * packets of 20 ms, and events in the numbering of the audio.
 */
import { Application, createEncoder, type OpusEncoderHandle } from 'libopus-wasm';
import { decodeTable, FRAME_MS, FRAME_SAMPLES, lawOf, SAMPLE_RATE } from '../rtp/g711.ts';
import { buildRtp, type RtpPacket } from '../rtp/packet.ts';
import { Repacketizer } from '../rtp/repacketizer.ts';
import { TICKS_PER_SAMPLE } from './opus-input.ts';

/** What Meta's offers limit it to. */
const BITRATE = 20_000;
/** Above 1 the encoder takes about twice the time (docs/decisions/whatsapp-media.md), for speech that is G.711 already. */
const COMPLEXITY = 1;
/** How much redundancy is added for lost packets: mobile networks lose a few percent. */
const EXPECTED_LOSS_PERCENT = 5;

export interface OpusOutputOptions {
  opusPayloadType: number;
  /** The SSRC of the stream towards mediasoup. */
  ssrc: number;
  send: (datagram: Buffer) => void;
}

export class OpusOutput {
  readonly #encoder: OpusEncoderHandle;
  readonly #options: OpusOutputOptions;
  readonly #repacketizer = new Repacketizer(FRAME_MS, { lawOf, send: (packet) => this.#frame(packet) });
  readonly #pcm = new Int16Array(FRAME_SAMPLES);

  private constructor(encoder: OpusEncoderHandle, options: OpusOutputOptions) {
    this.#encoder = encoder;
    this.#options = options;
  }

  static async create(options: OpusOutputOptions): Promise<OpusOutput> {
    const encoder = await createEncoder({
      application: Application.Voip,
      sampleRate: SAMPLE_RATE,
      channels: 1,
      frameSize: FRAME_SAMPLES,
      bitrate: BITRATE,
      complexity: COMPLEXITY,
      fec: true,
      packetLossPercent: EXPECTED_LOSS_PERCENT,
    });
    return new OpusOutput(encoder, options);
  }

  /** A packet of the player: G.711 of any length, or a telephone event. */
  send(packet: RtpPacket): void {
    this.#repacketizer.send(packet);
  }

  close(): void {
    this.#encoder.free();
  }

  #frame(packet: RtpPacket): void {
    const law = lawOf(packet.payloadType);
    if (law === null) return this.#out(packet, packet.payloadType, packet.payload);
    const table = decodeTable[law];
    // A frame that a change of source has cut short is filled up with silence.
    for (let index = 0; index < FRAME_SAMPLES; index += 1) {
      const code = packet.payload[index];
      this.#pcm[index] = code === undefined ? 0 : (table[code] ?? 0);
    }
    const { buffer, byteOffset, length } = this.#encoder.encode(this.#pcm);
    this.#out(packet, this.#options.opusPayloadType, Buffer.from(buffer, byteOffset, length));
  }

  /** Events too have timestamps in the clock of the audio, because they belong to the same stream (RFC 4733 §2.1). */
  #out({ marker, sequenceNumber, timestamp }: RtpPacket, payloadType: number, payload: Buffer): void {
    const { ssrc, send } = this.#options;
    const ticks = (timestamp * TICKS_PER_SAMPLE) % 2 ** 32;
    send(buildRtp({ payloadType, marker, sequenceNumber, timestamp: ticks, ssrc, payload }));
  }
}
