import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureTone, sine } from '@clarion/test-phone/audio/goertzel';
import { decode, encode, FRAME_SAMPLES } from '../rtp/g711.ts';
import { fadeInto, limited, mixInto } from './sum.ts';

const silence = new Int16Array(FRAME_SAMPLES);

test('what is not loud is added exactly, in any number of voices', () => {
  const frame = fc.array(fc.integer({ min: -4_000, max: 4_000 }), {
    minLength: FRAME_SAMPLES,
    maxLength: FRAME_SAMPLES,
  });
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 5 }), (frames) => {
      const target = Buffer.alloc(FRAME_SAMPLES);
      mixInto(
        frames.map((each) => Int16Array.from(each)),
        frames.length,
        'PCMA',
        target,
      );
      const sums = Int16Array.from({ length: FRAME_SAMPLES }, (_, index) =>
        frames.reduce((sum, each) => sum + (each[index] ?? 0), 0),
      );
      expect(target).toEqual(encode('PCMA', sums));
    }),
    { numRuns: 50 },
  );
});

test('two voices at full scale bend and do not wrap or clip flat', () => {
  const loud = sine(500, 8_000, FRAME_SAMPLES, { amplitude: 32_000 });
  const target = Buffer.alloc(FRAME_SAMPLES);
  for (const frames of [
    [loud, loud],
    [loud, loud, silence],
  ]) {
    mixInto(frames, frames.length, 'PCMU', target);
    const mixed = decode('PCMU', target);
    mixed.forEach((sample, index) => {
      expect(Math.sign(sample) * Math.sign(loud[index] ?? 0)).toBeGreaterThanOrEqual(0);
    });
    expect(measureTone(mixed, 8_000, 500).overRestDb).toBeGreaterThan(12);
  }
});

test('more voices than the table has room for are limited as well', () => {
  const loud = new Int16Array(FRAME_SAMPLES).fill(32_767);
  const target = Buffer.alloc(FRAME_SAMPLES);
  mixInto(
    Array.from({ length: 9 }, () => loud),
    9,
    'PCMU',
    target,
  );
  expect(decode('PCMU', target)[0]).toBeGreaterThan(30_000);
});

test('the limit keeps order, is odd, has no step and stays within 16 bits', () => {
  let before = limited(-200_000);
  const wrong: number[] = [];
  for (let sample = -200_000; sample <= 200_000; sample += 7) {
    const now = limited(sample);
    if (now < before || now - before > 7.001 || Math.abs(now) > 32_767) wrong.push(sample);
    before = now;
  }
  expect(wrong).toEqual([]);
  expect(limited(-30_000)).toBe(-limited(30_000));
  expect(limited(12_345)).toBe(12_345);
});

test('a voice that leaves a mix begins where the mix was and ends as it is', () => {
  const from = new Int16Array(FRAME_SAMPLES).fill(8_000);
  const target = Buffer.alloc(FRAME_SAMPLES);
  fadeInto(from, encode('PCMU', new Int16Array(FRAME_SAMPLES).fill(-8_000)), 'PCMU', 'PCMA', target);
  const faded = decode('PCMA', target);
  expect(faded[0]).toBeGreaterThan(7_500);
  expect(faded[FRAME_SAMPLES - 1]).toBeLessThan(-7_500);
});
