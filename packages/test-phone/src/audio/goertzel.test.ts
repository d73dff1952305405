import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode } from '../rtp/g711.ts';
import {
  findGaps,
  firstHeardMs,
  measureSteadyTone,
  measureTone,
  sine,
  TONE_TOLERANCE_HZ,
} from './goertzel.ts';

const RATE = 8000;
const tone = fc.integer({ min: 300, max: 3300 });
const amplitude = fc.integer({ min: 1000, max: 30_000 });
const law = fc.constantFrom('PCMA', 'PCMU');

const add = (a: Int16Array, b: Int16Array) => a.map((sample, i) => sample + (b[i] ?? 0));

describe('measureTone', () => {
  test('hears any tone of the telephone band after G.711, at any level', () => {
    fc.assert(
      fc.property(tone, amplitude, law, (hz, level, codec) => {
        const samples = decode(codec, encode(codec, sine(hz, RATE, RATE / 2, { amplitude: level })));
        const measure = measureTone(samples, RATE, hz);
        expect(measure.heard).toBe(true);
        expect(Math.abs(measure.hz - hz)).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('does not accept a tone that is more than 10 Hz away from the expected one', () => {
    fc.assert(
      fc.property(tone, fc.integer({ min: 13, max: 300 }), fc.boolean(), (hz, offset, above) => {
        const samples = sine(hz, RATE, RATE / 2);
        expect(measureTone(samples, RATE, above ? hz - offset : hz + offset).heard).toBe(false);
      }),
    );
  });

  test('hears a tone next to another one 30 dB below it, but not next to one 10 dB below it', () => {
    fc.assert(
      fc.property(tone, tone, (hz, other) => {
        fc.pre(Math.abs(hz - other) > 3 * TONE_TOLERANCE_HZ);
        const main = sine(hz, RATE, RATE, { amplitude: 10_000 });
        expect(measureTone(add(main, sine(other, RATE, RATE, { amplitude: 316 })), RATE, hz).heard).toBe(
          true,
        );
        expect(measureTone(add(main, sine(other, RATE, RATE, { amplitude: 3160 })), RATE, hz).heard).toBe(
          false,
        );
      }),
    );
  });

  test('hears nothing in silence, in an empty recording and in noise', () => {
    expect(measureTone(new Int16Array(RATE), RATE, 440).heard).toBe(false);
    expect(measureTone(new Int16Array(0), RATE, 440).heard).toBe(false);
    fc.assert(
      fc.property(fc.int16Array({ minLength: RATE / 4, maxLength: RATE / 4 }), tone, (noise, hz) => {
        expect(measureTone(noise, RATE, hz).heard).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test('gives the same result on the −1 … 1 scale of a browser', () => {
    const browser = Float32Array.from(sine(440, 48_000, 48_000), (sample) => sample / 32_768);
    expect(measureTone(browser, 48_000, 440).heard).toBe(true);
  });
});

describe('findGaps', () => {
  test('finds none in an unbroken tone', () => {
    fc.assert(
      fc.property(tone, amplitude, (hz, level) => {
        expect(findGaps(sine(hz, RATE, RATE, { amplitude: level }), RATE, hz)).toEqual([]);
      }),
    );
  });

  test('finds each gap of 40 ms or more at its position', () => {
    fc.assert(
      fc.property(
        tone,
        fc.integer({ min: 5, max: 20 }),
        fc.integer({ min: 2, max: 10 }),
        (hz, from, length) => {
          const samples = sine(hz, RATE, RATE);
          samples.fill(0, from * 160, (from + length) * 160);
          expect(findGaps(samples, RATE, hz)).toEqual([{ startMs: from * 20, lengthMs: length * 20 }]);
        },
      ),
    );
  });

  test('reports silence as one gap', () => {
    expect(findGaps(new Int16Array(RATE), RATE, 440)).toEqual([{ startMs: 0, lengthMs: 1000 }]);
  });
});

test('measureSteadyTone accepts a phase jump, and reports a gap', () => {
  const jumped = Int16Array.from([...sine(440, RATE, RATE), ...sine(440, RATE, RATE, { startSample: 9 })]);
  expect(measureTone(jumped, RATE, 440).heard).toBe(false);
  expect(measureSteadyTone(jumped, RATE, 440)).toMatchObject({ heardShare: 1, gaps: [], steady: true });
  jumped.fill(0, 800, 1200);
  expect(measureSteadyTone(jumped, RATE, 440)).toMatchObject({ gaps: [{ startMs: 100 }], steady: false });
});

test('firstHeardMs returns when a tone begins', () => {
  const samples = new Int16Array(RATE);
  samples.set(sine(600, RATE, RATE / 2), RATE / 2);
  expect(firstHeardMs(samples, RATE, 600)).toBe(500);
  expect(firstHeardMs(samples, RATE, 700)).toBeNull();
});
