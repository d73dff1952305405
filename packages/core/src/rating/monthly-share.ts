/** What a day of a monthly price costs (docs/requirements.md#prices). Pure. */
import { divideRounded } from './millionths.ts';
import type { Millionths } from './millionths.ts';

const ONE = 1_000_000n;

/**
 * The monthly price divided by the days of the month, times the quantity. The last day has the remainder of the division, so that the days
 * of a month with an unchanged quantity add up to its price.
 *
 * @param day a moment of the day, UTC
 * @param quantity in millionths
 */
export function shareOfMonth(monthly: Millionths, day: Date, quantity: Millionths): Millionths {
  const days = BigInt(daysOfMonth(day));
  const each = divideRounded(monthly, days);
  const isLast = BigInt(day.getUTCDate()) === days;
  return divideRounded((isLast ? monthly - each * (days - 1n) : each) * quantity, ONE);
}

const daysOfMonth = (day: Date): number =>
  new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
