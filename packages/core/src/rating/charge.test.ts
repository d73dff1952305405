import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { billedSeconds, chargeOf } from './charge.ts';
import { amountOf, divideRounded, millionthsOf } from './millionths.ts';

const price = (rate: string, initialSeconds: number, incrementSeconds: number, fee = '0') => ({
  ratePerMinute: millionthsOf(rate),
  connectionFee: millionthsOf(fee),
  initialSeconds,
  incrementSeconds,
});

describe('billed seconds', () => {
  test.each([
    [0, 60, 60, 0],
    [1, 60, 60, 60],
    [60, 60, 60, 60],
    [61, 60, 60, 120],
    [29, 30, 6, 30],
    [31, 30, 6, 36],
    [36, 30, 6, 36],
    [37, 30, 6, 42],
    [1, 1, 1, 1],
    [90, 60, 1, 90],
  ])('%i seconds in blocks of %i/%i are %i', (seconds, initialSeconds, incrementSeconds, billed) => {
    expect(billedSeconds(seconds, { initialSeconds, incrementSeconds })).toBe(billed);
  });

  test('cover the call by less than one block, in whole blocks after the first', () => {
    const block = fc.integer({ min: 1, max: 3600 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 86_400 }),
        block,
        block,
        (seconds, initialSeconds, incrementSeconds) => {
          const billed = billedSeconds(seconds, { initialSeconds, incrementSeconds });
          expect(billed).toBeGreaterThanOrEqual(Math.max(seconds, initialSeconds));
          expect(billed - seconds).toBeLessThan(
            seconds <= initialSeconds ? initialSeconds : incrementSeconds,
          );
          expect((billed - initialSeconds) % incrementSeconds).toBe(0);
        },
      ),
    );
  });
});

describe('a charge', () => {
  test.each([
    ['a minute', '0.012', 60, 1, '0', 60, '0.012'],
    ['a minute and a half by the second', '0.012', 60, 1, '0', 90, '0.018'],
    ['the connection fee of an answered call', '0', 60, 60, '0.05', 1, '0.05'],
    ['no connection fee for a call that was not answered', '0.012', 60, 60, '0.05', 0, '0'],
    ['half a millionth is rounded up', '0.000001', 30, 30, '0', 30, '0.000001'],
    ['less than half a millionth is rounded down', '0.000001', 29, 29, '0', 29, '0'],
    ['the largest amounts are exact', '999999999999.999999', 60, 60, '0.000001', 120, '1999999999999.999999'],
  ])('%s', (_, rate, initialSeconds, incrementSeconds, fee, seconds, amount) => {
    expect(amountOf(chargeOf(price(rate, initialSeconds, incrementSeconds, fee), seconds).amount)).toBe(
      amount,
    );
  });

  test('equals the exact fraction, rounded once', () => {
    const rate = fc.bigInt({ min: 0n, max: 10n ** 18n });
    const block = fc.integer({ min: 1, max: 3600 });
    fc.assert(
      fc.property(
        rate,
        rate,
        block,
        block,
        fc.integer({ min: 1, max: 86_400 }),
        (r, fee, first, next, seconds) => {
          const { billedSeconds: billed, amount } = chargeOf(
            { ratePerMinute: r, connectionFee: fee, initialSeconds: first, incrementSeconds: next },
            seconds,
          );
          // |60 × (amount − fee) − rate × billed| is at most half a divisor, and a half is rounded up.
          const error = 60n * (amount - fee) - r * BigInt(billed);
          expect(error > -30n && error <= 30n).toBe(true);
        },
      ),
    );
  });
});

describe('a markup', () => {
  test.each([
    ['on the rate and the connection fee', '0.01', '0.05', '20', 60, '0.072'],
    ['of -100 % is free of charge', '0.01', '0.05', '-100', 60, '0'],
    ['of a fraction of a percent', '1', '0', '0.000001', 60, '1'],
    ['of a fraction that counts', '100', '0', '0.000001', 60, '100.000001'],
    ['is rounded once, with the charge', '0.000001', '0', '50', 60, '0.000002'],
  ])('%s', (_, rate, fee, markup, seconds, amount) => {
    expect(amountOf(chargeOf(price(rate, 60, 60, fee), seconds, millionthsOf(markup)).amount)).toBe(amount);
  });

  test('equals the exact fraction, rounded once', () => {
    const rate = fc.bigInt({ min: 0n, max: 10n ** 15n });
    const markup = fc.bigInt({ min: -100_000_000n, max: 10n ** 11n });
    fc.assert(
      fc.property(rate, rate, markup, fc.integer({ min: 1, max: 86_400 }), (r, fee, percent, seconds) => {
        const minute = { ratePerMinute: r, connectionFee: fee, initialSeconds: 7, incrementSeconds: 3 };
        const { billedSeconds: billed, amount } = chargeOf(minute, seconds, percent);
        const whole = 100_000_000n;
        const error = 60n * whole * amount - (60n * fee + r * BigInt(billed)) * (whole + percent);
        expect(error > -30n * whole && error <= 30n * whole).toBe(true);
      }),
    );
  });
});

describe('amounts', () => {
  test('survive the way into millionths and back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (amount) => {
        expect(millionthsOf(amountOf(amount))).toBe(amount);
      }),
    );
  });

  test('are rounded half up, away from zero', () => {
    expect([5n, -5n, 4n, -4n, 15n].map((n) => divideRounded(n, 10n))).toEqual([1n, -1n, 0n, 0n, 2n]);
  });

  test('reject what is not a decimal amount', () => {
    for (const text of ['', '1e3', '0.0000001', '1,5', '--1']) {
      expect(() => millionthsOf(text)).toThrow(RangeError);
    }
  });
});
