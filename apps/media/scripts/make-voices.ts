/**
 * Synthesises the words of `@clarion/protocol/voices` with Debian's espeak-ng (`apt-get install espeak-ng`) and writes
 * each to `voices/en/<word>.ulaw`: G.711 µ-law, 8 kHz, mono, with the silence at both ends trimmed and the level
 * normalised.
 *
 *   node apps/media/scripts/make-voices.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode, SAMPLE_RATE } from '../src/rtp/g711.ts';
import { voiceWords } from '@clarion/protocol/voices';

const OUT = join(import.meta.dirname, '../voices/en');
/**
 * British English, slightly slower than espeak's default of 175 words a minute, because telephone audio is harder to
 * understand.
 */
const SPEECH = ['-v', 'en-gb', '-s', '155', '-p', '42', '--stdout'];
/** −20 dBFS over the spoken part: the level of a person on the telephone. */
const TARGET_RMS = 0.1 * 32_767;
/** A sample below this (of 32,767) counts as silence. */
const SILENCE_LEVEL = 200;
/** Kept at both ends so that no consonant is cut off. */
const MARGIN_SAMPLES = 0.03 * SAMPLE_RATE;
const PAUSE_SECONDS = 0.35;
const WAV_HEADER_BYTES = 44;
const WAV_RATE_OFFSET = 24;

/** Windowed-sinc filter with a cutoff at 3.6 kHz. */
function resample(input: Int16Array, from: number, to: number): Float64Array {
  const cutoff = 3_600 / from;
  const half = Math.ceil(16 / cutoff / 2);
  return Float64Array.from({ length: Math.floor((input.length * to) / from) }, (_, index) => {
    const centre = (index * from) / to;
    let sum = 0;
    for (
      let at = Math.max(0, Math.ceil(centre - half));
      at <= Math.min(input.length - 1, centre + half);
      at += 1
    ) {
      const x = at - centre;
      const sinc = x === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * x) / (Math.PI * x);
      sum += (input[at] ?? 0) * sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / half));
    }
    return sum;
  });
}

function cut(samples: Float64Array): Float64Array {
  const first = samples.findIndex((sample) => Math.abs(sample) > SILENCE_LEVEL);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > SILENCE_LEVEL);
  return samples.slice(Math.max(0, first - MARGIN_SAMPLES), last + MARGIN_SAMPLES);
}

function levelled(samples: Float64Array): Int16Array {
  const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1);
  const gain = Math.min(TARGET_RMS / rms, 32_000 / peak);
  return Int16Array.from(samples, (sample) => Math.round(sample * gain));
}

function speak(text: string): Int16Array {
  const wav = execFileSync('espeak-ng', [...SPEECH, text], { maxBuffer: 16 * 1024 * 1024 });
  const pcm = new Int16Array(
    wav.buffer.slice(wav.byteOffset + WAV_HEADER_BYTES, wav.byteOffset + (wav.length & ~1)),
  );
  return levelled(cut(resample(pcm, wav.readUInt32LE(WAV_RATE_OFFSET), SAMPLE_RATE)));
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const [word, text] of Object.entries(voiceWords)) {
  const pcm = text === '' ? new Int16Array(PAUSE_SECONDS * SAMPLE_RATE) : speak(text);
  writeFileSync(join(OUT, `${word}.ulaw`), encode('PCMU', pcm));
}
