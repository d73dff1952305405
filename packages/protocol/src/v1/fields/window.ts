/** `?from&to`: a time window, from (inclusive) to (exclusive). The default is the last 30 days, the maximum 400 days. */
import { z } from 'zod';

const DAY_MS = 24 * 60 * 60 * 1000;
export const DEFAULT_WINDOW_DAYS = 30;
export const MAX_WINDOW_DAYS = 400;
/** Buckets may extend beyond the window, and PostgreSQL does not parse the years 0 and 10000 in ISO format. */
const FIRST_MOMENT = new Date('0002-01-01T00:00:00.000Z');
const LAST_MOMENT = new Date('9998-12-31T00:00:00.000Z');

/** A query with `from` and `to` and other fields. If one of them is omitted, `windowOf` checks the window with the current time. */
export const windowQuery = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape).check(({ value, issues }) => {
    const { from, to }: { from?: unknown; to?: unknown } = value;
    // An invalid timestamp is still a string here and already reported.
    if (!(from instanceof Date) || !(to instanceof Date)) return;
    const problem = windowProblem(from, to);
    if (problem) {
      issues.push({ code: 'custom', message: problem.message, path: [problem.field], input: value });
    }
  });

function windowProblem(from: Date, to: Date): { field: 'from' | 'to'; message: string } | null {
  if (to <= from) return { field: 'to', message: 'must be later than from' };
  if (to.getTime() - from.getTime() > MAX_WINDOW_DAYS * DAY_MS) {
    return { field: 'from', message: `must be at most ${MAX_WINDOW_DAYS} days before to` };
  }
  return null;
}

/** The requested window, or its error. If omitted, `to` is now and `from` is 30 days before `to`. */
export function windowOf(
  { from, to }: { from: Date | null; to: Date | null },
  now: Date,
): { from: Date; to: Date } | { field: 'from' | 'to'; message: string } {
  const end = to ?? now;
  if (end > LAST_MOMENT) return { field: 'to', message: 'must be before the year 9999' };
  if (from !== null && from < FIRST_MOMENT) return { field: 'from', message: 'must be after the year 1' };
  const begin =
    from ?? new Date(Math.max(end.getTime() - DEFAULT_WINDOW_DAYS * DAY_MS, FIRST_MOMENT.getTime()));
  if (to === null && begin >= end) return { field: 'from', message: 'must be in the past if to is omitted' };
  return windowProblem(begin, end) ?? { from: begin, to: end };
}
