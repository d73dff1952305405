/** Amounts of money as text. Pure. */

const MIN_DECIMALS = 2;
const grouped = new Intl.NumberFormat('en-GB');

/** "-1234.5" → "-1,234.50". All decimals are shown, and decimal strings are not turned into floating-point numbers. */
export function formatMoney(amount: string): string {
  const size = amount.replace('-', '');
  const [whole = '', decimals = ''] = size.split('.');
  return `${amount === size ? '' : '-'}${grouped.format(BigInt(whole))}.${decimals.padEnd(MIN_DECIMALS, '0')}`;
}

/** "+12.50" for a credit. */
export const formatChange = (amount: string): string =>
  amount.startsWith('-') ? formatMoney(amount) : `+${formatMoney(amount)}`;
