/** The days of a filter in the user's time zone, and the query parameters for them. */

/** For example `2026-11-21`. Both ends are inclusive; '' is open. */
export interface Days {
  from: string;
  to: string;
}

const two = (part: number) => String(part).padStart(2, '0');
export const dayOf = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** Midnight of the day `plus` days later; undefined without a day. */
export function midnight(day: string, plus = 0): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  return year === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(date) + plus);
}

/** From the start of `from` to the end of `to`. */
export function windowOf({ from, to }: Days): { from?: string; to?: string } {
  const [start, end] = [midnight(from), midnight(to, 1)];
  return { ...(start && { from: start.toISOString() }), ...(end && { to: end.toISOString() }) };
}

/** The last `count` days including today. */
export function lastDays(now: Date, count: number): Days {
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1));
  return { from: dayOf(first), to: dayOf(now) };
}

export function dayPresets(now: Date) {
  const yesterday = dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1));
  return [
    { label: 'Today', ...lastDays(now, 1) },
    { label: 'Yesterday', from: yesterday, to: yesterday },
    { label: 'Last 7 days', ...lastDays(now, 7) },
    { label: 'Last 14 days', ...lastDays(now, 14) },
    { label: 'Last 30 days', ...lastDays(now, 30) },
  ];
}

/** The number of days in a range. */
export function countDays({ from, to }: Days): number {
  const [start, end] = [midnight(from), midnight(to, 1)];
  return start && end ? Math.round((end.getTime() - start.getTime()) / 86_400_000) : 0;
}

/** The same number of days immediately before. */
export function daysBefore(days: Days): Days {
  const length = countDays(days);
  const [from, to] = [midnight(days.from, -length), midnight(days.from, -1)];
  return { from: from ? dayOf(from) : '', to: to ? dayOf(to) : '' };
}

export const zoneOfReader = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
