/**
 * Amounts of money as integers of one millionth of the currency's unit. Sums and comparisons are exact; only a charge divides, and rounds
 * (`charge.ts`). Pure.
 */

/** An amount of 0.000001. */
export type Millionths = bigint;

const PER_UNIT = 1_000_000n;
const DECIMALS = 6;
const AMOUNT = /^(-?)(\d+)(?:\.(\d{1,6}))?$/;

/** @param text a decimal string with at most 6 decimals, as the API and the columns of amounts have it */
export function millionthsOf(text: string): Millionths {
  const [, sign, whole, decimals = ''] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`not a decimal amount: ${text}`);
  const size = BigInt(whole) * PER_UNIT + BigInt(decimals.padEnd(DECIMALS, '0'));
  return sign === '-' ? -size : size;
}

/** The shortest decimal string: `12.5`, `0`, `-0.000001`. */
export function amountOf(amount: Millionths): string {
  const size = amount < 0n ? -amount : amount;
  const decimals = String(size % PER_UNIT)
    .padStart(DECIMALS, '0')
    .replace(/0+$/, '');
  const text = decimals === '' ? String(size / PER_UNIT) : `${size / PER_UNIT}.${decimals}`;
  return amount < 0n ? `-${text}` : text;
}

/** Half up, away from zero. */
export function divideRounded(amount: Millionths, divisor: bigint): Millionths {
  const size = amount < 0n ? -amount : amount;
  const rounded = (size * 2n + divisor) / (divisor * 2n);
  return amount < 0n ? -rounded : rounded;
}
