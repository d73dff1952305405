/** Prices random calls by the service's index and arithmetic, and compares each with the oracle. */
import { chargeOf } from '@clarion/core/rating/charge';
import { DeckIndexBuilder } from '@clarion/core/rating/deck-index';
import type { IndexedPrice } from '@clarion/core/rating/deck-index';
import { amountOf, millionthsOf } from '@clarion/core/rating/millionths';
import { SeededRandom } from '../lib/seeded-random.ts';
import { oracleOf } from './oracle.ts';
import type { ExpectedCharge } from './oracle.ts';
import { randomCall, randomDeck } from './random-deck.ts';
import type { DeckEntry, RandomCall } from './random-deck.ts';

export interface RatingPlan {
  prefixes: number;
  calls: number;
  seed: number;
}

export interface RatingResult {
  entries: number;
  priced: number;
  unpriced: number;
  /** The first disagreements. */
  wrong: string[];
}

/** What is under test. */
export interface Rating {
  finder(entries: readonly DeckEntry[]): (digits: string, at: number) => IndexedPrice | null;
  chargeOf: typeof chargeOf;
}

const PROGRESS_EVERY = 100_000;
const LISTED = 10;

export const ofService: Rating = {
  finder(entries) {
    const builder = new DeckIndexBuilder();
    for (const { rate, fee, from, to, ...entry } of entries) {
      builder.add({
        ...entry,
        ratePerMinute: millionthsOf(rate),
        connectionFee: millionthsOf(fee),
        effectiveFrom: from,
        effectiveTo: to,
      });
    }
    const index = builder.build();
    return (digits, at) => index.find(digits, at);
  },
  chargeOf,
};

export function runRating(
  { prefixes, calls, seed }: RatingPlan,
  say: (line: string) => void = () => undefined,
  rating: Rating = ofService,
): RatingResult {
  const random = new SeededRandom(seed);
  const entries = randomDeck(random, prefixes);
  const expectedOf = oracleOf(entries);
  const find = rating.finder(entries);
  const result: RatingResult = { entries: entries.length, priced: 0, unpriced: 0, wrong: [] };
  for (let done = 1; done <= calls && result.wrong.length < LISTED; done += 1) {
    const call = randomCall(random, entries);
    const expected = expectedOf(call);
    const found = priceOf(rating, find, call);
    if (!isSame(expected, found)) result.wrong.push(complaint(call, expected, found));
    if (expected) result.priced += 1;
    else result.unpriced += 1;
    if (done % PROGRESS_EVERY === 0) say(`… ${done} of ${calls} calls`);
  }
  return result;
}

function priceOf(
  rating: Rating,
  find: ReturnType<Rating['finder']>,
  { digits, at, seconds }: RandomCall,
): ExpectedCharge | null {
  const price = find(digits, at);
  if (!price) return null;
  const { billedSeconds, amount } = rating.chargeOf(price, seconds);
  return {
    entryId: price.entryId,
    prefix: price.prefix,
    billedSeconds,
    amount: sixDecimals(amountOf(amount)),
  };
}

function sixDecimals(text: string): string {
  const [units = '', decimals = ''] = text.split('.');
  return `${units}.${decimals.padEnd(6, '0')}`;
}

const isSame = (a: ExpectedCharge | null, b: ExpectedCharge | null): boolean =>
  a?.entryId === b?.entryId &&
  a?.prefix === b?.prefix &&
  a?.billedSeconds === b?.billedSeconds &&
  a?.amount === b?.amount;

const complaint = (call: RandomCall, expected: ExpectedCharge | null, found: ExpectedCharge | null): string =>
  `${JSON.stringify(call)}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
