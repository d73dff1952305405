/** Descriptions of the reports' figures, trends against the previous period, and labels of intervals. Pure. */
import type { StatTrend } from '@clarion/ui';
import { countDays, type Days } from '../calls/days.ts';
import type { Answer } from '../request.ts';

export type CallReport = Answer<'GET', '/v1/tenants/{tenantRef}/reports/calls'>;
export type CallFigures = CallReport['totals'];
export type Bucket = CallReport['buckets'][number];
export type AgentFigures = Answer<'GET', '/v1/tenants/{tenantRef}/reports/agents'>['agents'][number];
export type Interval = CallReport['interval'];

/** The definitions of `packages/core/src/report/README.md`, for users. */
export const meanings = {
  total: 'Inbound and outbound calls that started in this period, including live calls.',
  answered: 'Calls in which an agent and the customer were connected.',
  missed: 'Calls that were not answered: no answer, declined, busy, or the maximum wait was reached.',
  lost: 'Calls that either side cancelled before the answer.',
  failed: 'Calls that ended before the answer because of a carrier, network or service error.',
  offered: 'Calls that entered a queue.',
  abandoned: 'Queued calls whose caller hung up before an agent answered.',
  shortAbandoned: 'Abandoned calls whose caller waited less than 5 seconds.',
  overflowed: 'Queued calls that moved to the overflow queue.',
  timedOut: 'Queued calls that reached the maximum wait.',
  avgWait: 'The average time from entering the first queue to the answer or the end of a queued call.',
  longestWait: 'The longest wait of a queued call.',
  avgTalk: 'The average time from the answer to the end of an answered call.',
  talk: 'The total time from the answer to the end of all calls.',
  agentAnswered:
    'Inbound and outbound calls in which the agent talked with the customer, including transferred calls.',
  agentMissed: 'Calls that rang the agent without an answer, or could not ring on their personal line.',
  agentDeclined: 'Calls that the agent declined.',
  agentTalk:
    'The agent’s own talk time. If several agents handled a call, their talk times add up to the duration of the call.',
  agentAvailable: 'The time for which the agent was on shift, on a call or not.',
} as const;

export const serviceLevelMeaning = (seconds: number): string =>
  `The share of queued calls answered within ${seconds} seconds. Callers who hung up sooner are not counted.`;

/** Hours for a day or two, days for a few months, weeks for a year. */
export function intervalFor(days: Days): Interval {
  const count = countDays(days);
  if (count <= 2) return 'HOUR';
  if (count <= 92) return 'DAY';
  return count <= 400 ? 'WEEK' : 'MONTH';
}

const HOURS_A_DAY = 24;
/** The API returns at most 1000 intervals. */
const HOURS_MAX_DAYS = Math.floor(1000 / HOURS_A_DAY);
export const intervalsFor = (days: Days): Interval[] =>
  countDays(days) <= HOURS_MAX_DAYS ? ['HOUR', 'DAY', 'WEEK', 'MONTH'] : ['DAY', 'WEEK', 'MONTH'];

export const percent = (ratio: number | null): string =>
  ratio === null ? '–' : `${Math.round(ratio * 100)}%`;

/** Above this, a percentage is less clear than the figure itself. */
const CHANGE_MAX_PERCENT = 500;

/** @param good which direction is better; null: neither */
export function trendOf(
  now: number | null,
  before: number | null,
  good: 'up' | 'down' | null,
): StatTrend | undefined {
  if (now === null || before === null) return undefined;
  if (now === before) return { direction: 'flat', text: 'No change', tone: 'neutral' };
  // An increase from zero is neither good nor bad: the previous period may have had no calls at all.
  if (before === 0) return { direction: 'up', text: 'None in the previous period', tone: 'neutral' };
  const direction = now > before ? 'up' : 'down';
  const tone = good === null ? 'neutral' : direction === good ? 'positive' : 'negative';
  const change = Math.round((Math.abs(now - before) / before) * 100);
  const text =
    change > CHANGE_MAX_PERCENT
      ? `${before} in the previous period`
      : `${change}% ${direction === 'up' ? 'more' : 'less'} than the previous period`;
  return { direction, text, tone };
}

/** For ratios, in percentage points, because a percentage of a percentage is misleading. */
export function pointsTrend(now: number | null, before: number | null): StatTrend | undefined {
  if (now === null || before === null) return undefined;
  const points = Math.round((now - before) * 100);
  if (points === 0) return { direction: 'flat', text: 'No change', tone: 'neutral' };
  return points > 0
    ? { direction: 'up', text: `${points} points more than the previous period`, tone: 'positive' }
    : { direction: 'down', text: `${-points} points less than the previous period`, tone: 'negative' };
}

/** The label of an interval in the report's time zone; `short` on an axis. */
export function bucketName(start: string, interval: Interval, timeZone: string, short = false): string {
  const format: Intl.DateTimeFormatOptions =
    interval === 'HOUR'
      ? { weekday: 'short', hour: '2-digit', minute: '2-digit' }
      : interval === 'MONTH'
        ? { month: 'long', year: 'numeric' }
        : { weekday: interval === 'DAY' && !short ? 'short' : undefined, day: 'numeric', month: 'short' };
  const words = new Intl.DateTimeFormat('en-GB', { ...format, timeZone }).format(new Date(start));
  return interval === 'WEEK' && !short ? `Week of ${words}` : words;
}
