/** Dates of a rate sheet, in UTC. Pure. */

export const dateOrders = ['DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD'] as const;
export type DateOrder = (typeof dateOrders)[number];

const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?Z?)?$/;
const DAY_OR_MONTH_FIRST =
  /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;
const CENTURY = 2000;
const MONTHS = 12;

/** What a date shows about the order of day and month; null: nothing. */
export function orderShownBy(text: string): DateOrder | null {
  if (ISO.test(text)) return 'YYYY-MM-DD';
  const [, first, second] = DAY_OR_MONTH_FIRST.exec(text) ?? [];
  if (Number(first) > MONTHS) return 'DD/MM/YYYY';
  return Number(second) > MONTHS ? 'MM/DD/YYYY' : null;
}

/** Midnight UTC unless the text has a time; null: not a date. A date that begins with the year is read whatever the order is. */
export function readDate(text: string, order: DateOrder): Date | null {
  const iso = ISO.exec(text);
  if (iso) return dateOf(iso[1], iso[2], iso[3], iso.slice(4));
  const parts = DAY_OR_MONTH_FIRST.exec(text);
  if (!parts) return null;
  const [, first, second, year = ''] = parts;
  const fullYear = year.length === 2 ? String(CENTURY + Number(year)) : year;
  return order === 'MM/DD/YYYY'
    ? dateOf(fullYear, first, second, parts.slice(4))
    : dateOf(fullYear, second, first, parts.slice(4));
}

function dateOf(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  [hours, minutes, seconds]: (string | undefined)[],
): Date | null {
  const at = [Number(year), Number(month) - 1, Number(day)] as const;
  const date = new Date(Date.UTC(...at, Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0)));
  const isReal =
    date.getUTCFullYear() === at[0] && date.getUTCMonth() === at[1] && date.getUTCDate() === at[2];
  return isReal ? date : null;
}

export interface FoundOrder {
  format: DateOrder;
  found: 'given' | 'file' | 'last' | 'default';
  /** False: nothing shows the order of day and month. */
  sure: boolean;
}

/** @param shown the first date of the sheet that shows an order */
export function findOrder(
  given: DateOrder | null,
  shown: DateOrder | null,
  last: DateOrder | null,
): FoundOrder {
  if (given) return { format: given, found: 'given', sure: true };
  if (shown) return { format: shown, found: 'file', sure: true };
  if (last) return { format: last, found: 'last', sure: true };
  return { format: 'DD/MM/YYYY', found: 'default', sure: false };
}
