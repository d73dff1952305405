import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '@clarion/protocol';
import { measureTone, sine, tonePower } from '@clarion/test-phone/audio/goertzel';
import { expect, test, vi } from 'vitest';
import { decodeAudio } from './decode-audio.ts';
import { audioFormatOf } from './audio-format.ts';
import { wavOf } from './__fixtures__/wav.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '__fixtures__', name));
const program = (name: string) => join(import.meta.dirname, '__fixtures__', name);
const samplesOf = (path: string) => {
  const bytes = readFileSync(path);
  return Int16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i));
};

/** Both results as samples, or the refusal. */
async function decoded(bytes: Uint8Array) {
  const kind = audioFormatOf(bytes);
  if (!kind) return { refused: 'unknown' };
  const answer = await decodeAudio(bytes, kind, async ({ durationSeconds, pcm8k, pcm48k }) => ({
    durationSeconds,
    at8k: samplesOf(pcm8k.path),
    at48k: samplesOf(pcm48k.path),
  }));
  return 'refused' in answer ? answer : answer.result;
}

test.each(['tone-1khz.mp3', 'tone-1khz-24k.mp3', 'tone-1khz-vorbis.ogg', 'tone-1khz-opus.ogg'])(
  '%s becomes its tone at 8 kHz and at 48 kHz',
  async (name) => {
    const sound = await decoded(fixture(name));
    if ('refused' in sound) throw new Error(sound.refused);
    expect(sound.durationSeconds).toBeCloseTo(1, 0);
    expect(sound.at8k).toHaveLength(Math.ceil(sound.durationSeconds * 8000));
    expect(sound.at48k).toHaveLength(Math.ceil(sound.durationSeconds * 48_000));
    // The middle, away from what encoders do at the ends.
    expect(measureTone(sound.at8k.subarray(2000, 6000), 8000, 1000).heard).toBe(true);
    expect(measureTone(sound.at48k.subarray(12_000, 36_000), 48_000, 1000).heard).toBe(true);
  },
);

test('a stereo WAV keeps 1 kHz at 8 kHz, and 6 kHz does not fold back to 2 kHz', async () => {
  const tones = sine(1000, 44_100, 44_100, { amplitude: 8000 });
  const high = sine(6000, 44_100, 44_100, { amplitude: 8000 });
  const sound = await decoded(wavOf({ sampleRate: 44_100, channels: [tones, high] }));
  if ('refused' in sound) throw new Error(sound.refused);
  const middle = sound.at8k.subarray(2000, 6000);
  const kept = tonePower(middle, 8000, 1000);
  expect(Math.sqrt(2 * kept)).toBeCloseTo(4000, -2);
  expect(10 * Math.log10(tonePower(middle, 8000, 2000) / kept)).toBeLessThan(-60);
  const wide = sound.at48k.subarray(12_000, 36_000);
  expect(Math.sqrt(2 * tonePower(wide, 48_000, 6000))).toBeCloseTo(4000, -2);
});

test.each(['', 'R', 'RIFF', 'RIFF....WAV', `OggS${'\xff'.repeat(23)}`, 'OggS', '\xff'])(
  'a file that ends within its format identification is rejected: %j',
  (beginning) => {
    // A view of the whole buffer, so that no bytes follow it.
    expect(audioFormatOf(Uint8Array.from(Buffer.from(beginning, 'latin1')))).toBeNull();
  },
);

test('a decoder that does not end is killed', async () => {
  const started = performance.now();
  const answer = await decodeAudio(new Uint8Array(1), 'wav', async () => 'used', {
    program: program('endless.ts'),
    timeoutMs: 500,
  });
  expect(answer).toEqual({ refused: 'takes too much time or memory to decode' });
  expect(performance.now() - started).toBeLessThan(5000);
});

test('a decoder that takes all memory is terminated by its heap limit', async () => {
  const answer = await decodeAudio(new Uint8Array(1), 'wav', async () => 'used', {
    program: program('hungry.ts'),
  });
  expect(answer).toEqual({ refused: 'takes too much time or memory to decode' });
}, 30_000);

test('a decoder has no environment, can read only its own files, and cannot start a program', async () => {
  const answer = await decodeAudio(new Uint8Array(1), 'wav', async () => 'used', {
    program: program('curious.ts'),
  });
  expect(answer).toEqual({
    refused:
      'environment: NODE_ENV, read: ERR_ACCESS_DENIED, write: ERR_ACCESS_DENIED, start: ERR_ACCESS_DENIED',
  });
});

test('no files of an upload remain on the disk, whether it was decoded or rejected', async () => {
  // A separate directory, because other processes decode at the same time.
  const place = mkdtempSync(join(tmpdir(), 'clarion-place-'));
  vi.stubEnv('TMPDIR', place);
  try {
    let during: string[] = [];
    await decodeAudio(fixture('tone-1khz.mp3'), 'mp3', async () => (during = readdirSync(place)));
    expect(during).toHaveLength(1);
    await decoded(Buffer.from('RIFF....WAVE'));
    expect(readdirSync(place)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(place, { recursive: true });
  }
});

test('the number of uploads waiting for a decoder is limited, and the next one is asked to retry', async () => {
  const slow = () =>
    decodeAudio(new Uint8Array(1), 'wav', async () => 'used', {
      program: program('endless.ts'),
      timeoutMs: 400,
    }).catch((error: unknown) => error);
  const answers = await Promise.all(Array.from({ length: 11 }, slow));
  expect(answers.filter((answer) => answer instanceof ApiError)).toEqual([
    expect.objectContaining({ code: 'storage_unavailable', status: 503, retryAfterSeconds: 10 }),
  ]);
  expect(answers.filter((answer) => !(answer instanceof ApiError))).toHaveLength(10);
});
