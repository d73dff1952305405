/** Creates a mono 16-bit WAV file (RIFF, Microsoft's WAVE format). Pure. */

const HEADER_BYTES = 44;
const PCM = 1;
const BYTES_A_SAMPLE = 2;

/** @param samples from −1 to 1; louder ones are clipped */
export function encodeWav(samples: Float32Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const data = samples.length * BYTES_A_SAMPLE;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + data));
  const text = (at: number, word: string) =>
    [...word].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  text(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + data, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * BYTES_A_SAMPLE, true);
  view.setUint16(32, BYTES_A_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_A_SAMPLE, true);
  text(36, 'data');
  view.setUint32(40, data, true);
  samples.forEach((sample, i) => {
    const bounded = Math.max(-1, Math.min(1, sample));
    view.setInt16(HEADER_BYTES + i * BYTES_A_SAMPLE, Math.round(bounded * 0x7fff), true);
  });
  return new Uint8Array(view.buffer);
}

/** Mixes several channels into one: their mean. */
export function toMono(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array()] = channels;
  return first.map((_, i) => channels.reduce((sum, channel) => sum + (channel[i] ?? 0), 0) / channels.length);
}
