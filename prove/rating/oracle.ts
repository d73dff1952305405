/** What a call costs, computed independently of the service: a map for each length of prefix, and fractions of whole numbers. */
import type { DeckEntry, RandomCall } from './random-deck.ts';

const SECONDS_PER_MINUTE = 60n;
const DECIMALS = 6;

export interface ExpectedCharge {
  entryId: number;
  prefix: string;
  billedSeconds: number;
  /** With six decimals. */
  amount: string;
}

export type Oracle = (call: RandomCall) => ExpectedCharge | null;

export function oracleOf(entries: readonly DeckEntry[]): Oracle {
  const byLength = new Map<number, Map<string, DeckEntry[]>>();
  for (const entry of entries) {
    const ofLength = byLength.get(entry.prefix.length) ?? new Map<string, DeckEntry[]>();
    byLength.set(entry.prefix.length, ofLength);
    ofLength.set(entry.prefix, [...(ofLength.get(entry.prefix) ?? []), entry]);
  }
  return ({ digits, at, seconds }) => {
    for (let length = digits.length; length > 0; length -= 1) {
      const entry = byLength
        .get(length)
        ?.get(digits.slice(0, length))
        ?.find(({ from, to }) => from <= at && (to === null || at < to));
      if (entry)
        return { entryId: entry.entryId, prefix: entry.prefix, ...chargeFor(entry, BigInt(seconds)) };
    }
    return null;
  };
}

function chargeFor(
  { rate, fee, initialSeconds, incrementSeconds }: DeckEntry,
  seconds: bigint,
): Pick<ExpectedCharge, 'billedSeconds' | 'amount'> {
  if (seconds === 0n) return { billedSeconds: 0, amount: '0.000000' };
  const [first, next] = [BigInt(initialSeconds), BigInt(incrementSeconds)];
  const blocks = seconds > first ? (seconds - first + next - 1n) / next : 0n;
  const billed = first + blocks * next;
  const [rateTop, rateBottom] = fractionOf(rate);
  const [feeTop, feeBottom] = fractionOf(fee);
  // rate × billed ÷ 60 + fee as one fraction
  const bottom = rateBottom * SECONDS_PER_MINUTE * feeBottom;
  const top = rateTop * billed * feeBottom + feeTop * rateBottom * SECONDS_PER_MINUTE;
  return { billedSeconds: Number(billed), amount: roundedHalfUp(top, bottom) };
}

function fractionOf(text: string): [top: bigint, bottom: bigint] {
  const [units = '', decimals = ''] = text.split('.');
  return [BigInt(units + decimals), 10n ** BigInt(decimals.length)];
}

/** By long division: the remainder after six decimals decides. */
function roundedHalfUp(top: bigint, bottom: bigint): string {
  let digits = String(top / bottom);
  let rest = top % bottom;
  for (let i = 0; i < DECIMALS; i += 1) {
    digits += String((rest * 10n) / bottom);
    rest = (rest * 10n) % bottom;
  }
  const rounded = String(BigInt(digits) + (rest * 2n >= bottom ? 1n : 0n)).padStart(DECIMALS + 1, '0');
  return `${rounded.slice(0, -DECIMALS)}.${rounded.slice(-DECIMALS)}`;
}
