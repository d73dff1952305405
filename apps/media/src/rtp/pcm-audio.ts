/** A sound in memory: its samples, and what they are in each law, made as far as somebody has listened and kept for the next one. */
import { encodeInto, FRAME_SAMPLES, type Law } from './g711.ts';

/** Encoded ahead of the listener who is furthest: one second. */
const CHUNK_SAMPLES = 50 * FRAME_SAMPLES;

interface Encoded {
  bytes: Buffer;
  /** Up to here `bytes` are filled. */
  until: number;
}

export class PcmAudio {
  /** 8 kHz mono. */
  readonly pcm: Int16Array;
  readonly #encoded: Partial<Record<Law, Encoded>> = {};

  constructor(pcm: Int16Array) {
    this.pcm = pcm;
  }

  /** What it takes once both laws have been heard to the end. */
  get memoryBytes(): number {
    return this.pcm.byteLength * 2;
  }

  /** Samples `from` to `to` in a law; a view, not to be written to. */
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

/** Raw 16-bit little-endian PCM, as the store keeps it. A last odd byte is left out. */
export function pcmAudioFrom(bytes: Buffer): PcmAudio {
  const pcm = new Int16Array(bytes.length >> 1);
  for (let index = 0; index < pcm.length; index += 1) pcm[index] = bytes.readInt16LE(index * 2);
  return new PcmAudio(pcm);
}
