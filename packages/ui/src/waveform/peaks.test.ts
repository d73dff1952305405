import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathOf, peaksOf } from './peaks.ts';

test('every sample belongs to a part and is at most as loud as its peak', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 40 }),
      (samples, count) => {
        const peaks = peaksOf(Float32Array.from(samples), count);
        expect(peaks).toHaveLength(count);
        const loudest = Math.max(...samples.map((one) => Math.abs(Math.fround(one))));
        expect(Math.max(...peaks)).toBeCloseTo(loudest, 6);
      },
    ),
  );
});

test('silence is drawn as a thin line and not scaled to the full height', () => {
  expect(pathOf([0.0005, 0.0005])).toBe('M0.5,49.0V51.0M1.5,49.0V51.0');
});
