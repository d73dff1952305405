/** Audio in memory: its samples and their encoded forms, which are created on demand and shared by all listeners. */
import { encodeInto, FRAME_SAMPLES, type Law } from './g711.ts';

/** How far to encode ahead of the foremost listener: one second. */
const CHUNK_SAMPLES = 50 * FRAME_SAMPLES;

interface Encoded {
  bytes: Buffer;
  /** The end of the encoded part of `bytes`. */
  until: number;
}

export class PcmAudio {
  /** 8 kHz mono. */
  readonly pcm: Int16Array;
  readonly #encoded: Partial<Record<Law, Encoded>> = {};

  constructor(pcm: Int16Array) {
    this.pcm = pcm;
  }

  /** Memory use once both encodings are complete. */
  get memoryBytes(): number {
    return this.pcm.byteLength * 2;
  }

  /** Samples `from` to `to`, encoded; a read-only view. */
  encoded(law: Law, from: number, to: number): Buffer {
    const encoded = (this.#encoded[law] ??= { bytes: Buffer.allocUnsafe(this.pcm.length), until: 0 });
    if (encoded.until < to) {
      const until = Math.min(this.pcm.length, to + CHUNK_SAMPLES);
      encodeInto(law, this.pcm.subarray(encoded.until, until), encoded.bytes, encoded.until);
      encoded.until = until;
    }
    return encoded.bytes.subarray(from, to);
  }
}

/** Reads raw 16-bit little-endian PCM, as stored. A trailing odd byte is ignored. */
export function pcmAudioFrom(bytes: Buffer): PcmAudio {
  const pcm = new Int16Array(bytes.length >> 1);
  for (let index = 0; index < pcm.length; index += 1) pcm[index] = bytes.readInt16LE(index * 2);
  return new PcmAudio(pcm);
}
