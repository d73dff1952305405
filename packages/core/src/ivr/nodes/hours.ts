/** ivr_hours: open or closed according to the local time of a time zone, including daylight saving. */
import type { IvrDataOf } from '@clarion/protocol/ivr/structure';
import { weekdays } from '@clarion/protocol/ivr/nodes/hours';
import type { Weekday } from '@clarion/protocol/ivr/nodes/hours';
import { quiet } from '../behaviour.ts';
import type { Behaviour } from '../behaviour.ts';

type Data = IvrDataOf<'ivr_hours'>;

export const hours: Behaviour<Data> = {
  ...quiet,
  enter: ({ data, now }) => ({ kind: 'leave', exit: isOpen(data, now) ? 'open' : 'closed' }),
};

/** A date among the exceptions has its own opening hours, possibly none. `from` is inclusive, `to` is exclusive. */
export function isOpen({ timezone, hours: weekly, exceptions }: Data, now: number): boolean {
  const { date, weekday, time } = wallClock(timezone, now);
  const exception = exceptions.find((each) => each.date === date);
  const today = exception ? exception.hours : weekly.filter(({ days }) => days.includes(weekday));
  return today.some(({ from, to }) => from <= time && time < to);
}

/** Creating a formatter costs a hundred times as much as using it, and there are few time zones, so they are cached. */
const formatters = new Map<string, Intl.DateTimeFormat>();
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
  });
  formatters.set(timeZone, made);
  return made;
}

/** `2026-03-29`, `SUNDAY`, `02:30`. */
function wallClock(timeZone: string, now: number): { date: string; weekday: Weekday; time: string } {
  const parts = new Map(
    formatterOf(timeZone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const name = part('weekday').toUpperCase();
  const weekday = weekdays.find((each) => each === name);
  if (!weekday) throw new Error(`${name} is not a day of the week`);
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    weekday,
    time: `${part('hour')}:${part('minute')}`,
  };
}
