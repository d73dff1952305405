/** Reads a WAV file (16-bit PCM, any rate, one or two channels) as 48 kHz mono. Pure. */
import { SAMPLE_RATE } from './tone.ts';

const PCM = 1;

/** Throws for anything else, with what is wrong. */
export function decodeWav(bytes: Buffer): Int16Array {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error('the file is not a WAV file');
  let format: { channels: number; rate: number } | null = null;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + 8, Math.min(at + 8 + size, bytes.length));
    if (name === 'fmt ' && body.length >= 16) {
      if (body.readUInt16LE(0) !== PCM || body.readUInt16LE(14) !== 16)
        throw new Error('the WAV file is not 16-bit PCM');
      format = { channels: body.readUInt16LE(2), rate: body.readUInt32LE(4) };
    }
    if (name === 'data' && format !== null) return resampled(body, format);
    at += 8 + size + (size % 2);
  }
  throw new Error('the WAV file has no audio');
}

/** Linear interpolation: good enough for a voice that a test recognises. */
function resampled(body: Buffer, { channels, rate }: { channels: number; rate: number }): Int16Array {
  if (channels < 1 || rate < 1) throw new Error('the WAV file has no valid format');
  const frames = Math.floor(body.length / (2 * channels));
  const at = (frame: number): number => {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1)
      sum += body.readInt16LE((Math.min(frame, frames - 1) * channels + channel) * 2);
    return sum / channels;
  };
  const samples = new Int16Array(Math.floor((frames * SAMPLE_RATE) / rate));
  for (let i = 0; i < samples.length; i += 1) {
    const position = (i * rate) / SAMPLE_RATE;
    const before = Math.floor(position);
    samples[i] = at(before) + (at(before + 1) - at(before)) * (position - before);
  }
  return samples;
}
