import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { announcement, isLow } from './low-balance.ts';
import type { BalanceFacts } from './low-balance.ts';

const prepaid = (balance: bigint, lastTopUp: bigint | null): BalanceFacts => ({
  mode: 'PREPAID',
  balance,
  creditLimit: null,
  lastTopUp,
});
const postpaid = (balance: bigint, creditLimit: bigint | null): BalanceFacts => ({
  mode: 'POSTPAID',
  balance,
  creditLimit,
  lastTopUp: null,
});

describe('a balance is low', () => {
  test.each([
    [prepaid(10_000_000n, 100_000_000n), false],
    [prepaid(9_999_999n, 100_000_000n), true],
    [prepaid(-1n, 100_000_000n), true],
    [prepaid(0n, 1n), true],
    [prepaid(0n, null), false],
    [prepaid(-1n, null), true],
  ])('PREPAID: below 10 % of the last top-up (%o: %s)', (facts, low) => {
    expect(isLow(facts)).toBe(low);
  });

  test.each([
    [postpaid(-90_000_000n, 100_000_000n), false],
    [postpaid(-90_000_001n, 100_000_000n), true],
    [postpaid(0n, 0n), false],
    [postpaid(-1n, 0n), true],
    [postpaid(-1_000_000_000n, null), false],
    [postpaid(5n, 100n), false],
  ])('POSTPAID: above 90 % of the credit limit (%o: %s)', (facts, low) => {
    expect(isLow(facts)).toBe(low);
  });
});

describe('it is announced', () => {
  const amounts = fc.bigInt({ min: -100_000_000n, max: 100_000_000n }).filter((amount) => amount !== 0n);
  const topUps = fc.bigInt({ min: 10_000n, max: 100_000_000n });
  const histories = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('TOP_UP' as const), amount: topUps }),
      fc.record({ kind: fc.constant('OTHER' as const), amount: amounts }),
    ),
    { maxLength: 60 },
  );

  test('once for each time it becomes low, whatever the history', () => {
    fc.assert(
      fc.property(histories, (history) => {
        let balance = 0n;
        let lastTopUp: bigint | null = null;
        let announced = false;
        let wasLow = false;
        for (const { kind, amount } of history) {
          balance += amount;
          if (kind === 'TOP_UP') lastTopUp = amount;
          const facts = prepaid(balance, lastTopUp);
          const next = announcement(facts, announced);
          expect(next.announce).toBe(isLow(facts) && !wasLow);
          wasLow = isLow(facts);
          ({ announced } = next);
        }
      }),
    );
  });

  test('never because of a top-up', () => {
    fc.assert(
      fc.property(amounts, fc.option(topUps), topUps, (balance, lastTopUp, amount) => {
        fc.pre(!isLow(prepaid(balance, lastTopUp)));
        expect(announcement(prepaid(balance + amount, amount), false).announce).toBe(false);
      }),
    );
  });
});
