/** ivr_hours: the exit is `open` or `closed`, by the local time in a time zone. */
import { z } from 'zod';
import { orDefault, required, enumField } from '../../v1/fields/fields.ts';
import { timeZone } from '../../v1/fields/time-zone.ts';
import { dataOf, defineNode, facts } from '../node.ts';

export const weekdays = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const;
export type Weekday = (typeof weekdays)[number];

const MAX_WEEKLY_INTERVALS = 50;
const MAX_EXCEPTIONS = 366;
const MAX_INTERVALS_A_DATE = 10;

/** `HH:MM`; `24:00` ends a day. */
const clock = z
  .string()
  .trim()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, { error: 'must be a time of day, such as 09:30' });
const span = { from: required(clock), to: required(clock) };
const forwards = ({ from, to }: { from: string; to: string }) => from < to;
const BACKWARDS = {
  path: ['to'],
  error: 'must be later than from; split an interval that crosses midnight into two',
};

const weekly = z
  .object({ days: required(z.array(enumField(weekdays)).min(1).max(weekdays.length)), ...span })
  .refine(forwards, BACKWARDS);
const exception = z.object({
  date: required(z.iso.date({ error: 'must be a date, such as 2026-12-25' })),
  /** Empty: closed all day. */
  hours: orDefault(z.array(z.object(span).refine(forwards, BACKWARDS)).max(MAX_INTERVALS_A_DATE), []),
});

export const hours = defineNode({
  title: 'Opening hours',
  data: dataOf({
    timezone: required(timeZone),
    hours: required(z.array(weekly).max(MAX_WEEKLY_INTERVALS)),
    /** On these dates, their hours replace the weekly ones. */
    exceptions: orDefault(z.array(exception).max(MAX_EXCEPTIONS).check(onceADate), []),
  }),
  facts: () => facts({ exits: ['open', 'closed'] }),
});

function onceADate({ value, issues }: z.core.ParsePayload<{ date: string }[]>): void {
  value.forEach(({ date }, index) => {
    if (value.findIndex((other) => other.date === date) === index) return;
    issues.push({ code: 'custom', message: 'is listed more than once', path: [index, 'date'], input: date });
  });
}
