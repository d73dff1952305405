/** Random decks and calls that meet the edges: prefixes within prefixes, moments at which prices change, durations at the ends of blocks. */
import type { SeededRandom } from '../lib/seeded-random.ts';

/** Amounts as decimal text, as in a carrier's sheet. */
export interface DeckEntry {
  entryId: number;
  prefix: string;
  rate: string;
  fee: string;
  initialSeconds: number;
  incrementSeconds: number;
  from: number;
  to: number | null;
}

export interface RandomCall {
  digits: string;
  at: number;
  seconds: number;
}

const MAX_PREFIX_DIGITS = 15;
const MAX_NUMBER_DIGITS = 18;
const MAX_BLOCK_SECONDS = 3600;
/** Times are whole numbers up to this, so that calls often begin when a price does. */
const LAST_TIME = 40;
const TYPICAL_BLOCKS = [1, 6, 30, 60];

export function randomDeck(random: SeededRandom, prefixCount: number): DeckEntry[] {
  const prefixes = randomPrefixes(random, prefixCount);
  let entryId = 0;
  return prefixes.flatMap((prefix) =>
    randomPeriods(random).map(({ from, to }) => ({
      entryId: ++entryId,
      prefix,
      rate: randomAmount(random),
      fee: random.often(0.7) ? '0' : randomAmount(random),
      initialSeconds: randomBlock(random),
      incrementSeconds: randomBlock(random),
      from,
      to,
    })),
  );
}

export function randomCall(random: SeededRandom, entries: readonly DeckEntry[]): RandomCall {
  const { prefix, from, to, initialSeconds, incrementSeconds } = random.pick(entries);
  const digits = random.often(0.8)
    ? prefix + randomDigits(random, whole(random, 0, 6))
    : randomNumber(random);
  const edge = initialSeconds + whole(random, 0, 3) * incrementSeconds;
  return {
    digits,
    at: random.often(0.5) ? (to ?? from) - whole(random, 0, 1) : whole(random, -1, LAST_TIME + 1),
    seconds: random.often(0.5) ? edge + whole(random, -1, 1) : whole(random, 0, 86_400),
  };
}

/** From `low` to `high`, both included. */
const whole = (random: SeededRandom, low: number, high: number): number =>
  Math.floor(random.between(low, high + 1));

const randomDigits = (random: SeededRandom, length: number): string =>
  Array.from({ length }, () => whole(random, 0, 9)).join('');

const randomNumber = (random: SeededRandom): string =>
  randomDigits(random, whole(random, 1, MAX_NUMBER_DIGITS));

/** In order. Most of them extend another one. */
function randomPrefixes(random: SeededRandom, count: number): string[] {
  const found = new Set<string>();
  const list: string[] = [];
  while (found.size < count) {
    const stem = list.length > 0 && random.often(0.7) ? random.pick(list) : '';
    const added = stem === '' ? whole(random, 1, MAX_PREFIX_DIGITS) : whole(random, 1, 3);
    const prefix = (stem + randomDigits(random, added)).slice(0, MAX_PREFIX_DIGITS);
    if (found.has(prefix)) continue;
    found.add(prefix);
    list.push(prefix);
  }
  return list.toSorted();
}

/** One to three periods without overlaps, with gaps between some of them. */
function randomPeriods(random: SeededRandom): { from: number; to: number | null }[] {
  const times = Array.from({ length: whole(random, 1, 4) }, () => whole(random, 0, LAST_TIME));
  const moments = [...new Set(times)].toSorted((a, b) => a - b);
  const periods = moments.map((from, i) => ({ from, to: moments[i + 1] ?? null }));
  const kept = periods.filter(({ to }) => to === null || random.often(0.8));
  return random.often(0.8) || kept.length === 1 ? kept : kept.slice(0, -1);
}

function randomAmount(random: SeededRandom): string {
  const decimals = whole(random, 0, 6);
  const size = random.often(0.9) ? whole(random, 0, 2) : whole(random, 3, 12);
  const units = size === 0 ? '0' : `${whole(random, 1, 9)}${randomDigits(random, size - 1)}`;
  return decimals === 0 ? units : `${units}.${randomDigits(random, decimals)}`;
}

const randomBlock = (random: SeededRandom): number =>
  random.often(0.5) ? random.pick(TYPICAL_BLOCKS) : whole(random, 1, MAX_BLOCK_SECONDS);
