/**
 * The hours, days, weeks and months of a time zone that cover a window, by the clock on its wall: a day on which clocks change has
 * 23 or 25 hours and is one bucket all the same; an hour that happens twice is two. Pure.
 */
import type { ReportInterval } from '@clarion/protocol/v1/report/reports';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A zone's offset before and after any day is what it is this long before and after that day's UTC midnight. */
const BEYOND_ANY_OFFSET_MS = 26 * HOUR_MS;

interface Wall {
  year: number;
  /** 0 is January. */
  month: number;
  day: number;
  minute: number;
  second: number;
  /** What the wall shows, as if it were UTC. */
  shown: number;
}

/**
 * Starts of the buckets from the one that holds `from` to the first at or after `to`, which ends the last bucket.
 *
 * @returns null when there are more than `max` buckets
 */
export function bucketEdges(
  window: { from: Date; to: Date },
  interval: ReportInterval,
  timeZone: string,
  max: number,
): Date[] | null {
  const wallAt = wallOf(timeZone);
  const edges = [firstEdge(window.from, interval, wallAt)];
  // A day that a zone skipped altogether is a round without an edge: no zone skipped two in a row.
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

/** Like Date.UTC, also for the years 1 to 99. */
const utc = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month, day);

function firstEdge(from: Date, interval: ReportInterval, wallAt: WallAt): Date {
  const wall = wallAt(from);
  if (interval === 'HOUR') {
    const intoHour = (wall.minute * 60 + wall.second) * 1000 + (from.getTime() % 1000);
    return new Date(from.getTime() - intoHour);
  }
  return startOfDate(dateOf(wall, interval, 0), wallAt);
}

/** Where the wall shows the next full hour; after a change by half an hour that is half an hour away. */
function nextHour(edge: Date, wallAt: WallAt): Date {
  const { minute, second } = wallAt(edge);
  return new Date(edge.getTime() + HOUR_MS - (minute * 60 + second) * 1000);
}

const nextDate = (first: Date, steps: number, interval: ReportInterval, wallAt: WallAt): Date =>
  startOfDate(dateOf(wallAt(first), interval, steps), wallAt);

/** The date, as its UTC midnight, on which the `steps`th interval after the one of `wall` begins. */
function dateOf({ year, month, day }: Wall, interval: ReportInterval, steps: number): number {
  if (interval === 'MONTH') return utc(year, month + steps, 1);
  if (interval === 'WEEK') {
    const sinceMonday = (new Date(utc(year, month, day)).getUTCDay() + 6) % 7;
    return utc(year, month, day - sinceMonday + 7 * steps);
  }
  return utc(year, month, day + steps);
}

/** The first moment of a date; where midnight was skipped, the moment of the change. */
function startOfDate(midnight: number, wallAt: WallAt): Date {
  const offsetNear = (at: number) => wallAt(new Date(at)).shown - at;
  const candidates = [midnight - BEYOND_ANY_OFFSET_MS, midnight + BEYOND_ANY_OFFSET_MS]
    .map((near) => new Date(midnight - offsetNear(near)))
    .toSorted((a, b) => a.getTime() - b.getTime());
  const first = candidates.find((moment) => wallAt(moment).shown >= midnight);
  return first ?? new Date(midnight + DAY_MS);
}
