import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lossPercentOf, mosOf, mosOfRating, ratingOf } from './quality.ts';

const perfect = { lossPercent: 0, jitterMs: 0, roundTripMs: 0 };

describe('the mean opinion score', () => {
  test.each([
    // The lower limits of the bands in ITU-T G.107, table B.1.
    [90, 4.34],
    [80, 4.03],
    [70, 3.6],
    [60, 3.1],
    [50, 2.58],
    // The default rating, and both extremes.
    [93.2, 4.41],
    [0, 1],
    [100, 4.5],
  ])('of R = %d is %d, as in G.107', (rating, mos) => {
    expect(Math.abs(mosOfRating(rating) - mos)).toBeLessThan(0.01);
  });

  test.each([
    // ITU-T G.113, appendix I: G.711 with concealment under random loss.
    [1, 5],
    [2, 7],
    [3, 10],
    [5, 15],
  ])(
    'is reduced by %d %% loss by about the %d points that G.113 lists for G.711 with concealment',
    (percent, points) => {
      const impairment = ratingOf(perfect) - ratingOf({ ...perfect, lossPercent: percent });
      expect(Math.abs(impairment - points)).toBeLessThan(1.5);
    },
  );

  test('is hardly reduced by a delay below 177 ms, and clearly by a longer one', () => {
    const at = (oneWayMs: number) => ratingOf({ ...perfect, roundTripMs: 2 * (oneWayMs - 40) });
    expect(at(40) - at(150)).toBeLessThan(3);
    // Cole and Rosenbluth: Id(400) = 0.024 × 400 + 0.11 × 222.7.
    expect(93.2 - at(400)).toBeCloseTo(34.1, 1);
  });

  test('without impairments is 4.39', () => {
    expect(mosOf({ ...perfect, roundTripMs: null })).toBe(4.39);
  });

  test('never rises with more loss, jitter or delay, and is always between 1 and 4.5', () => {
    const reception = fc.record({
      lossPercent: fc.double({ min: 0, max: 100, noNaN: true }),
      jitterMs: fc.double({ min: 0, max: 2_000, noNaN: true }),
      roundTripMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
    });
    fc.assert(
      fc.property(reception, fc.constantFrom('lossPercent', 'jitterMs', 'roundTripMs'), (one, key) => {
        const mos = mosOf(one);
        expect(mos).toBeGreaterThanOrEqual(1);
        expect(mos).toBeLessThanOrEqual(4.5);
        expect(mosOf({ ...one, [key]: one[key] + 5 })).toBeLessThanOrEqual(mos);
      }),
    );
  });
});

test('the loss is a percentage of the expected packets', () => {
  expect(lossPercentOf(90, 10)).toBe(10);
  expect(lossPercentOf(2, 1)).toBe(33.33);
  expect(lossPercentOf(0, 0)).toBe(0);
});
