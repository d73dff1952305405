/** Amounts and billing blocks as text. Pure. */

/** Rates of a column line up, and differences in the fourth decimal are visible: carriers print four. */
const MIN_DECIMALS = 4;

const grouped = new Intl.NumberFormat('en-GB');

/** "0.012" → "0.0120". The service's decimal strings are not turned into floating-point numbers. */
export function formatRate(amount: string): string {
  const [whole = '', decimals = ''] = amount.split('.');
  return `${whole}.${decimals.padEnd(MIN_DECIMALS, '0')}`;
}

/** Most prices have no connection fee: a plain 0 does not distract. */
export const formatFee = (fee: string): string => (fee === '0' ? fee : formatRate(fee));

/** 1234567 → "1,234,567". */
export const formatCount = (count: number): string => grouped.format(count);

/** 1 → "1 price", 1200 → "1,200 prices". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** "60/1": the first block, then the further ones, as carriers write it. */
export const formatBlocks = (initialSeconds: number, incrementSeconds: number): string =>
  `${initialSeconds}/${incrementSeconds}`;
