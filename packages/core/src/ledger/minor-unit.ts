/** The minor unit of a currency: what an invoice is rounded to. Pure. */
import { amountOf, divideRounded } from '../rating/millionths.ts';
import type { Millionths } from '../rating/millionths.ts';

const USUAL_DECIMALS = 2;
const MILLIONTHS_DECIMALS = 6;

/** ISO 4217, list one: the currencies that do not have 2 decimals. */
const exceptions: Record<number, readonly string[]> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
  3: 'BHD IQD JOD KWD LYD OMR TND'.split(' '),
  4: 'CLF UYW'.split(' '),
};
const decimals = new Map(
  Object.entries(exceptions).flatMap(([count, codes]) => codes.map((code) => [code, Number(count)] as const)),
);

export const decimalsOf = (currency: string): number => decimals.get(currency) ?? USUAL_DECIMALS;

/** Half up, away from zero. */
export function roundToMinorUnit(amount: Millionths, currency: string): Millionths {
  const unit = 10n ** BigInt(MILLIONTHS_DECIMALS - decimalsOf(currency));
  return divideRounded(amount, unit) * unit;
}

/** With exactly the decimals of the currency: `128.40`. */
export function inMinorUnits(amount: Millionths, currency: string): string {
  const [whole = '', decimals = ''] = amountOf(amount).split('.');
  const count = decimalsOf(currency);
  return count === 0 ? whole : `${whole}.${decimals.padEnd(count, '0')}`;
}
