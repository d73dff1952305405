/** How files are decoded, and how hostile ones are rejected. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from '@clarion/test-phone/rtp/g711';
import { sine, tonePower } from '@clarion/test-phone/audio/goertzel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { audioFormatOf } from '../audio-format.ts';
import { wavOf } from '../__fixtures__/wav.ts';
import { Resampler } from './resampler.ts';
import { InvalidAudio } from './decoded-audio.ts';
import { MAX_AUDIO_SECONDS, transcode } from './transcode.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '..', '__fixtures__', name));

async function read(bytes: Uint8Array, maxSeconds?: number): Promise<{ seconds: number; at8k: Int16Array }> {
  const kind = audioFormatOf(bytes);
  if (!kind) throw new InvalidAudio('is unknown');
  const folder = mkdtempSync(join(tmpdir(), 'clarion-transcode-'));
  try {
    const seconds = await transcode(bytes, kind, folder, maxSeconds === undefined ? {} : { maxSeconds });
    const pcm = readFileSync(join(folder, '8k.pcm'));
    return { seconds, at8k: Int16Array.from({ length: pcm.length / 2 }, (_, i) => pcm.readInt16LE(2 * i)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tone = sine(1000, 8000, 800, { amplitude: 8000 });
const amplitudeOf = (samples: Int16Array) => Math.sqrt(2 * tonePower(samples, 8000, 1000));
function bytesOf(
  bytesPerSample: number,
  write: (buffer: Buffer, sample: number, at: number) => void,
): Buffer {
  const buffer = Buffer.alloc(tone.length * bytesPerSample);
  tone.forEach((sample, i) => write(buffer, sample, i * bytesPerSample));
  return buffer;
}

const formats: [string, Parameters<typeof wavOf>[0]][] = [
  ['PCM of 8 bits', { bits: 8, data: bytesOf(1, (b, s, at) => b.writeUInt8(Math.round(s / 256) + 128, at)) }],
  ['PCM of 16 bits', { channels: [tone] }],
  ['PCM of 24 bits', { bits: 24, data: bytesOf(3, (b, s, at) => b.writeIntLE(s * 256, at, 3)) }],
  ['PCM of 32 bits', { bits: 32, data: bytesOf(4, (b, s, at) => b.writeInt32LE(s * 65_536, at)) }],
  [
    'floats of 32 bits',
    { format: 3, bits: 32, data: bytesOf(4, (b, s, at) => b.writeFloatLE(s / 32_768, at)) },
  ],
  [
    'floats of 64 bits',
    { format: 3, bits: 64, data: bytesOf(8, (b, s, at) => b.writeDoubleLE(s / 32_768, at)) },
  ],
  ['A-law', { format: 6, bits: 8, data: encode('PCMA', tone) }],
  ['µ-law', { format: 7, bits: 8, data: encode('PCMU', tone) }],
  ['an extensible header', { channels: [tone], extensible: true }],
  ['a size that the writer did not know', { channels: [tone], dataSize: 0xffffffff }],
];

test.each(formats)('a WAV with %s is heard as it was made', async (_, options) => {
  const { seconds, at8k } = await read(wavOf(options));
  expect(seconds).toBeCloseTo(0.1, 5);
  expect(Math.abs(amplitudeOf(at8k) - 8000)).toBeLessThan(150);
});

test('samples beyond full scale are clipped', async () => {
  const loud = bytesOf(4, (buffer, sample, at) => buffer.writeFloatLE((sample / 32_768) * 100, at));
  const { at8k } = await read(wavOf({ format: 3, bits: 32, data: loud }));
  expect(Math.max(...at8k)).toBe(32_767);
  expect(Math.min(...at8k)).toBe(-32_767);
});

const floats = (value: number) => {
  const buffer = Buffer.alloc(400);
  for (let at = 0; at < 400; at += 4) buffer.writeFloatLE(value, at);
  return buffer;
};
const mp3 = fixture('tone-1khz.mp3');
const ogg = fixture('tone-1khz-opus.ogg');
const vorbis = fixture('tone-1khz-vorbis.ogg');
const silence = (seconds: number) =>
  wavOf({ sampleRate: 4000, bits: 8, data: Buffer.alloc(seconds * 4000, 128) });
const changed = (bytes: Buffer, at: number, value: number) => {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
};

const hostile: [string, Buffer, RegExp][] = [
  ['a WAV cut off', wavOf({ channels: [tone] }).subarray(0, 500), /truncated/],
  ['a WAV that says it is longer', wavOf({ channels: [tone], dataSize: 1_000_000 }), /truncated/],
  ['a WAV with a header alone', wavOf({ channels: [tone] }).subarray(0, 36), /without audio/],
  ['a WAV of no samples', wavOf({ channels: [new Int16Array(0)] }), /no audio/],
  ['a WAV of less than a sample', wavOf({ data: Buffer.alloc(1), dataSize: 1 }), /no audio/],
  [
    'a WAV of 65,535 channels',
    wavOf({ data: Buffer.alloc(100), channelCount: 65_535, frameBytes: 2 }),
    /channels/,
  ],
  ['a WAV of no channels', wavOf({ data: Buffer.alloc(100), channelCount: 0, frameBytes: 0 }), /channels/],
  ['a WAV of 4 billion samples a second', wavOf({ channels: [tone], sampleRate: 0xffffffff }), /sample rate/],
  ['a WAV of no samples a second', wavOf({ channels: [tone], sampleRate: 0 }), /sample rate/],
  ['a WAV whose frames are not its samples', wavOf({ channels: [tone], frameBytes: 3 }), /inconsistent/],
  ['a WAV in a format nobody reads', wavOf({ channels: [tone], format: 85 }), /not supported/],
  ['a WAV of 12 bits', wavOf({ data: Buffer.alloc(100), bits: 12 }), /not supported/],
  ['a WAV of numbers that are none', wavOf({ format: 3, bits: 32, data: floats(NaN) }), /not numbers/],
  ['a WAV of infinite numbers', wavOf({ format: 3, bits: 32, data: floats(-Infinity) }), /not numbers/],
  ['an MP3 cut off', mp3.subarray(0, mp3.length - 10), /truncated/],
  [
    'an MP3 with a hole',
    Buffer.concat([mp3.subarray(0, 4000), Buffer.alloc(7, 9), mp3.subarray(4000)]),
    /damaged/,
  ],
  ['an ID3 tag alone', Buffer.from('ID3\x04\x00\x00\x00\x00\x00\x05hello', 'latin1'), /not an MP3/],
  ['an ID3 tag longer than the file', Buffer.from('ID3\x04\x00\x00\x7f\x7f\x7f\x7f', 'latin1'), /not an MP3/],
  ['two MP3s of different rates', Buffer.concat([mp3, fixture('tone-1khz-24k.mp3')]), /sample rate changes/],
  ['an Ogg file cut off in a page', ogg.subarray(0, ogg.length - 1), /truncated/],
  ['an Ogg file that lacks its last page', ogg.subarray(0, ogg.lastIndexOf('OggS')), /truncated/],
  ['an Ogg file with a changed byte', changed(ogg, ogg.length - 50, 1), /checksum/],
  ['an Ogg file with something behind it', Buffer.concat([ogg, Buffer.from('more')]), /damaged/],
  ['two Ogg files in a row', Buffer.concat([ogg, vorbis]), /more than one stream/],
];

test.each(hostile)('%s is refused in words', async (_, bytes, words) => {
  const refusal = read(bytes);
  await expect(refusal).rejects.toBeInstanceOf(InvalidAudio);
  await expect(refusal).rejects.toThrow(words);
});

test('audio of the maximum duration is accepted, and one more sample is rejected', async () => {
  expect((await read(silence(2), 2)).seconds).toBe(2);
  const longer = wavOf({ sampleRate: 4000, bits: 8, data: Buffer.alloc(8001, 128) });
  await expect(read(longer, 2)).rejects.toThrow('is longer than');
  expect(MAX_AUDIO_SECONDS).toBe(30 * 60);
});

test.each([
  ['nothing at all', Buffer.alloc(0)],
  ['text', Buffer.from('hello, world')],
  ['a picture', Buffer.from('89504e470d0a1a0a', 'hex')],
  [
    'an Ogg file of something else',
    Buffer.from(ogg.toString('latin1').replace('OpusHead', 'Speex   '), 'latin1'),
  ],
  ['AAC', Buffer.from('fff15080000000', 'hex')],
])('%s is none of our sounds', (_, bytes) => {
  expect(audioFormatOf(bytes)).toBeNull();
});

test('a file with random changes is decoded or rejected, without any other error', async () => {
  const files = [wavOf({ channels: [tone.subarray(0, 200)] }), mp3.subarray(0, 1670), vorbis, ogg];
  const change = fc.record({
    file: fc.constantFrom(...files),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    keep: fc.double({ min: 0.2, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ file, at, bytes, keep }) => {
      const broken = Buffer.from(file.subarray(0, Math.ceil(file.length * keep)));
      broken.set(
        bytes.subarray(0, broken.length - Math.floor(at * broken.length)),
        Math.floor(at * broken.length),
      );
      const outcome = await read(broken).then(
        ({ seconds }) => seconds,
        (error: unknown) => error,
      );
      if (typeof outcome === 'number') expect(outcome).toBeGreaterThan(0);
      else expect(outcome).toBeInstanceOf(Error);
    }),
    { numRuns: 200 },
  );
}, 30_000);

test('the resampler returns the same output for any division of its input', () => {
  for (const [from, to] of [
    [44_100, 8000],
    [44_100, 48_000],
    [8000, 48_000],
    [12_345, 8000],
  ] as const) {
    const samples = Float32Array.from({ length: 5000 }, (_, i) => Math.sin(i * i * 0.0001));
    const whole = new Resampler(from, to);
    const expected = [...whole.push(samples), ...whole.end()];
    const crumbs = new Resampler(from, to);
    const got: number[] = [];
    for (let at = 0; at < samples.length; at += 37) got.push(...crumbs.push(samples.subarray(at, at + 37)));
    got.push(...crumbs.end());
    expect(got).toEqual(expected);
    expect(got).toHaveLength(Math.ceil((samples.length * to) / from));
  }
});
