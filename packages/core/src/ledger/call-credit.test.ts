import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costInMillionths } from '../rating/call-pricing.ts';
import type { CallPricing, TenantPrice } from '../rating/call-pricing.ts';
import {
  EXTEND_AHEAD_MS,
  firstBlocks,
  firstSeconds,
  needsExtensionAtOnce,
  planExtensions,
} from './call-credit.ts';
import type { Reservation } from './call-credit.ts';

const price = (change: Partial<TenantPrice> = {}): TenantPrice => ({
  method: 'FLAT',
  currency: 'USD',
  ratePerMinute: '0.6',
  connectionFee: '0',
  initialSeconds: 60,
  incrementSeconds: 60,
  ...change,
});
const pricing = (...routes: CallPricing['routes']): CallPricing => ({ number: '44', routes });

describe('the first block', () => {
  test('is the dearest of the trunks that the call may use, for each account', () => {
    const routes = pricing(
      { trunkId: 1, tenant: price({ initialSeconds: 30, connectionFee: '0.1' }) },
      { trunkId: 2, tenant: price({ ratePerMinute: '1' }), platform: price({ initialSeconds: 1 }) },
    );
    expect(firstBlocks(routes)).toEqual({
      TENANT: { amount: '1', currency: 'USD' },
      CONSUMER: { amount: '0.01', currency: 'USD' },
    });
  });

  test('lasts as long as on the trunk that carries the call', () => {
    const routes = pricing(
      { trunkId: 1, tenant: price({ initialSeconds: 30 }) },
      { trunkId: 2, tenant: price() },
    );
    expect(firstSeconds(routes, 1)).toEqual({ TENANT: 30 });
    expect(firstSeconds(routes, 2)).toEqual({ TENANT: 60 });
    expect(firstSeconds(routes, 3)).toEqual({});
  });

  test('does not exist without a price, or if the price is zero', () => {
    expect(firstBlocks(pricing())).toEqual({});
    expect(firstBlocks(pricing({ trunkId: 1, tenant: price({ ratePerMinute: '0' }) }))).toEqual({});
  });

  test('is extended at once if it may end before the next sweep', () => {
    const sweepMs = 2_000;
    const ofSeconds = (initialSeconds: number) => pricing({ trunkId: 1, tenant: price({ initialSeconds }) });
    expect(needsExtensionAtOnce(ofSeconds(11), sweepMs)).toBe(true);
    expect(needsExtensionAtOnce(ofSeconds((EXTEND_AHEAD_MS + sweepMs) / 1000), sweepMs)).toBe(false);
    expect(needsExtensionAtOnce(pricing(), sweepMs)).toBe(false);
  });
});

const prices = fc.record({
  ratePerMinute: fc.integer({ min: 0, max: 3_000_000 }).map((n) => String(n / 1_000_000)),
  connectionFee: fc.constantFrom('0', '0.05'),
  initialSeconds: fc.integer({ min: 1, max: 60 }),
  incrementSeconds: fc.integer({ min: 1, max: 60 }),
  markupPercent: fc.constantFrom('0', '12.5', '-50'),
});
const plain = (text: string) => Number(text).toFixed(6);
const reservations = fc.record({
  price: prices,
  blocks: fc.integer({ min: 0, max: 20 }),
  aheadMs: fc.integer({ min: -5_000, max: 10_000 }),
});
const NOW = 1_800_000_000_000;

const reservationOf = (
  callId: number,
  accountId: number,
  { price: change, blocks, aheadMs }: { price: object; blocks: number; aheadMs: number },
): Reservation => {
  const all = price({ ...change });
  const fixed = { ...all, ratePerMinute: plain(all.ratePerMinute) };
  const paidSeconds = fixed.initialSeconds + blocks * fixed.incrementSeconds;
  const { amount } = costInMillionths(fixed, paidSeconds);
  return { callId, accountId, price: fixed, amount, paidSeconds, paidUntil: NOW + aheadMs };
};

describe('an extension', () => {
  test('is paid, in whole blocks, and the next block would be too long or too dear', () => {
    fc.assert(
      fc.property(
        reservations,
        fc.option(fc.bigInt({ min: -1_000_000n, max: 3_000_000n })),
        (one, credit) => {
          const reservation = reservationOf(1, 7, one);
          const [extension] = planExtensions([reservation], new Map([[7, credit]]), NOW);
          const to = extension?.to ?? reservation.paidSeconds;
          const { incrementSeconds } = reservation.price;
          expect((to - reservation.paidSeconds) % incrementSeconds).toBe(0);
          const spendable = credit === null ? null : reservation.amount + (credit > 0n ? credit : 0n);
          if (extension && spendable !== null) expect(extension.amount).toBeLessThanOrEqual(spendable);
          if (extension) expect(extension.amount).toBe(costInMillionths(reservation.price, to).amount);
          const next = costInMillionths(reservation.price, to + incrementSeconds).amount;
          const isTooDear = spendable !== null && next > spendable;
          // A minute from now is paid for then, whenever it ran out.
          const isLong = reservation.paidUntil + (to - reservation.paidSeconds) * 1000 >= NOW + 60_000;
          expect(isTooDear || isLong).toBe(true);
          if (extension && !isTooDear)
            expect(
              reservation.paidUntil + (to - reservation.paidSeconds - incrementSeconds) * 1000,
            ).toBeLessThan(NOW + 60_000);
        },
      ),
    );
  });

  test('of several calls never costs more than their account has', () => {
    fc.assert(
      fc.property(
        fc.array(reservations, { minLength: 1, maxLength: 8 }),
        fc.bigInt({ min: 0n, max: 2_000_000n }),
        (all, credit) => {
          const running = all.map((one, index) => reservationOf(index, 7, one));
          const cost = planExtensions(running, new Map([[7, credit]]), NOW).reduce(
            (sum, { callId, amount }) => sum + amount - (running[callId]?.amount ?? 0n),
            0n,
          );
          expect(cost).toBeLessThanOrEqual(credit);
        },
      ),
    );
  });

  test('costs nothing while a first block at the price of a dearer trunk pays for it', () => {
    const reservation: Reservation = {
      ...{ callId: 1, accountId: 7, price: price({ initialSeconds: 1, incrementSeconds: 1 }) },
      ...{ amount: 1_000_000n, paidSeconds: 1, paidUntil: NOW },
    };
    expect(planExtensions([reservation], new Map([[7, 0n]]), NOW)).toEqual([
      { callId: 1, accountId: 7, from: 1, to: 61, amount: 1_000_000n },
    ]);
    expect(planExtensions([{ ...reservation, paidSeconds: 100 }], new Map([[7, 0n]]), NOW)).toEqual([]);
  });
});
