/**
 * The hours, days, weeks and months of a time zone that cover a window, by local time: a day on which clocks change has 23 or 25 hours and
 * is one bucket; an hour that occurs twice is two buckets. Pure.
 */
import type { ReportInterval } from '@clarion/protocol/v1/report/reports';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * No UTC offset is larger than this, so a zone's offsets before and after any day can be read this long before and after that day's UTC
 * midnight.
 */
const BEYOND_ANY_OFFSET_MS = 26 * HOUR_MS;

interface Wall {
  year: number;
  /** 0 is January. */
  month: number;
  day: number;
  minute: number;
  second: number;
  /** The local time, as if it were UTC. */
  shown: number;
}

/**
 * Starts of the buckets, from the one that contains `from` to the first at or after `to`, which ends the last bucket.
 *
 * @returns null if there are more than `max` buckets
 */
export function bucketEdges(
  window: { from: Date; to: Date },
  interval: ReportInterval,
  timeZone: string,
  max: number,
): Date[] | null {
  const wallAt = wallOf(timeZone);
  const edges = [firstEdge(window.from, interval, wallAt)];
  // If a zone skipped a whole day, this iteration adds no bucket. No zone skipped two in a row.
  for (let step = 1; step <= 2 * max + 2; step += 1) {
    const last = edges.at(-1) ?? window.from;
    if (last >= window.to) return edges;
    if (edges.length > max) return null;
    const next =
      interval === 'HOUR' ? nextHour(last, wallAt) : nextDate(edges[0] ?? last, step, interval, wallAt);
    if (next > last) edges.push(next);
  }
  return null;
}

type WallAt = (moment: Date) => Wall;

function wallOf(timeZone: string): WallAt {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const [year, month, day] = [part('year'), part('month') - 1, part('day')];
    const [hour, minute, second] = [part('hour'), part('minute'), part('second')];
    const shown = utc(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000;
    return { year, month, day, minute, second, shown };
  };
}

/** Like Date.UTC, but also for the years 1 to 99. */
const utc = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month, day);

function firstEdge(from: Date, interval: ReportInterval, wallAt: WallAt): Date {
  return interval === 'HOUR'
    ? startOfHour(from, wallAt)
    : startOfDate(dateOf(wallAt(from), interval, 0), wallAt);
}

/** The last full hour of local time, or the change by half an hour since then. */
function startOfHour(moment: Date, wallAt: WallAt): Date {
  const back = (at: Date) => {
    const { minute, second } = wallAt(at);
    return new Date(at.getTime() - (minute * 60 + second) * 1000 - (at.getTime() % 1000));
  };
  let edge = back(moment);
  // Otherwise clocks have changed in between, and this is no edge.
  if (wallAt(edge).minute === 0) return edge;
  edge = back(edge);
  for (let next = nextHour(edge, wallAt); next <= moment; next = nextHour(next, wallAt)) edge = next;
  return edge;
}

/** The next full hour of local time; after a change by half an hour it is half an hour away. */
function nextHour(edge: Date, wallAt: WallAt): Date {
  const { minute, second } = wallAt(edge);
  return new Date(edge.getTime() + HOUR_MS - (minute * 60 + second) * 1000);
}

const nextDate = (first: Date, steps: number, interval: ReportInterval, wallAt: WallAt): Date =>
  startOfDate(dateOf(wallAt(first), interval, steps), wallAt);

/** The date, as its UTC midnight, on which the interval `steps` after that of `wall` begins. */
function dateOf({ year, month, day }: Wall, interval: ReportInterval, steps: number): number {
  if (interval === 'MONTH') return utc(year, month + steps, 1);
  if (interval === 'WEEK') {
    const sinceMonday = (new Date(utc(year, month, day)).getUTCDay() + 6) % 7;
    return utc(year, month, day - sinceMonday + 7 * steps);
  }
  return utc(year, month, day + steps);
}

/** The first moment of a date; if midnight was skipped, the moment of the change. */
function startOfDate(midnight: number, wallAt: WallAt): Date {
  const offsetNear = (at: number) => wallAt(new Date(at)).shown - at;
  const candidates = [midnight - BEYOND_ANY_OFFSET_MS, midnight + BEYOND_ANY_OFFSET_MS]
    .map((near) => new Date(midnight - offsetNear(near)))
    .toSorted((a, b) => a.getTime() - b.getTime());
  const first = candidates.find((moment) => wallAt(moment).shown >= midnight);
  return first ?? new Date(midnight + DAY_MS);
}
