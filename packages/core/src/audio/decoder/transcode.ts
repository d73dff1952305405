/** Converts a file into two files of 16-bit little-endian mono PCM, at 8 kHz and 48 kHz, written while decoding. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AudioFormat } from '../audio-format.ts';
import { readMp3 } from './mp3.ts';
import { readOgg } from './ogg.ts';
import { Resampler } from './resampler.ts';
import { InvalidAudio } from './decoded-audio.ts';
import type { DecodedAudio } from './decoded-audio.ts';
import { readWav } from './wav.ts';

/** Longer than any greeting or hold music. It also limits what a few kilobytes of encoded silence can expand to. */
export const MAX_AUDIO_SECONDS = 30 * 60;
/** The sample rates of the callers' codecs: G.711 and Opus. */
export const PCM_RATES_HZ = [8_000, 48_000] as const;
export const pcmFile = (rateHz: (typeof PCM_RATES_HZ)[number]): string => `${rateHz / 1000}k.pcm`;
const FULL_SCALE = 32_767;

const readers: Record<AudioFormat, (bytes: Uint8Array) => DecodedAudio | Promise<DecodedAudio>> = {
  wav: readWav,
  mp3: readMp3,
  vorbis: (bytes) => readOgg(bytes, 'vorbis'),
  opus: (bytes) => readOgg(bytes, 'opus'),
};

/**
 * @param options `onPiece` is called after each piece, so that the caller can check its memory use
 * @returns the duration in seconds
 * @throws InvalidAudio
 */
export async function transcode(
  bytes: Uint8Array,
  kind: AudioFormat,
  folder: string,
  {
    onPiece = () => undefined,
    maxSeconds = MAX_AUDIO_SECONDS,
  }: { onPiece?: () => void; maxSeconds?: number } = {},
): Promise<number> {
  const { sampleRate, pieces } = await readers[kind](bytes);
  const outputs = PCM_RATES_HZ.map((rateHz) => ({
    file: openSync(join(folder, pcmFile(rateHz)), 'wx'),
    resampler: rateHz === sampleRate ? null : new Resampler(sampleRate, rateHz),
  }));
  try {
    let samples = 0;
    for await (const channels of pieces) {
      const mono = mixed(channels);
      samples += mono.length;
      if (samples > maxSeconds * sampleRate) {
        throw new InvalidAudio(`is longer than ${maxSeconds / 60} minutes`);
      }
      for (const { file, resampler } of outputs) write(file, resampler ? resampler.push(mono) : mono);
      onPiece();
    }
    if (samples === 0) throw new InvalidAudio('contains no audio');
    for (const { file, resampler } of outputs) if (resampler) write(file, resampler.end());
    return samples / sampleRate;
  } finally {
    for (const { file } of outputs) closeSync(file);
  }
}

/** The mean of all channels. */
function mixed(channels: readonly Float32Array[]): Float32Array {
  const length = Math.min(...channels.map((channel) => channel.length));
  const mono = new Float32Array(Number.isFinite(length) ? length : 0);
  for (let i = 0; i < mono.length; i += 1) {
    let sum = 0;
    for (const channel of channels) sum += channel[i] ?? 0;
    if (!Number.isFinite(sum)) throw new InvalidAudio('contains samples that are not numbers');
    mono[i] = sum / channels.length;
  }
  return mono;
}

function write(file: number, samples: Float32Array): void {
  if (samples.length === 0) return;
  const bytes = Buffer.alloc(samples.length * 2);
  for (let i = 0; i < samples.length; i += 1) {
    const clamped = Math.max(-1, Math.min(1, samples[i] ?? 0));
    bytes.writeInt16LE(Math.round(clamped * FULL_SCALE), i * 2);
  }
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}
