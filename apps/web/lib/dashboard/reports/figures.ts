/** What the reports' figures mean, how they compare with the period before, and how their buckets are called. Pure. */
import type { StatTrend } from '@clarion/ui';
import { countDays, type Days } from '../calls/days.ts';
import type { Answer } from '../request.ts';

export type CallReport = Answer<'GET', '/v1/tenants/{tenantRef}/reports/calls'>;
export type CallFigures = CallReport['totals'];
export type Bucket = CallReport['buckets'][number];
export type AgentFigures = Answer<'GET', '/v1/tenants/{tenantRef}/reports/agents'>['agents'][number];
export type Interval = CallReport['interval'];

/** As `packages/core/src/report/README.md` has them, for people. */
export const meanings = {
  total: 'Calls that began in this time, in both directions, live ones too.',
  answered: 'An agent and the customer talked.',
  missed: 'Nobody took it: it rang out, the caller waited too long, or it was declined or busy.',
  lost: 'Cancelled before it was answered, whoever cancelled.',
  failed: 'A fault of a carrier, the network or the service ended it before it was answered.',
  offered: 'Calls that entered a queue.',
  abandoned: 'Of the calls that entered a queue, those whose caller hung up before an agent answered.',
  shortAbandoned: 'Of the abandoned, those who waited less than 5 seconds: they hardly meant to wait.',
  overflowed: "Of the calls that entered a queue, those that moved on to the queue's overflow queue.",
  timedOut: 'Of the calls that entered a queue, those that waited as long as the queue allows.',
  avgWait: 'From entering the first queue to the answer or the end, for each call that entered a queue.',
  longestWait: 'The longest such wait.',
  avgTalk: 'From the answer to the end, for each answered call.',
  talk: 'From the answer to the end, of all calls together.',
  agentAnswered:
    'Calls, in and out, in which they talked with the customer, also those a transfer brought them.',
  agentMissed: 'Calls that rang at them unanswered, or could not ring on their own line.',
  agentDeclined: 'Calls that they declined.',
  agentTalk: 'Their own share of those calls: what the agents of a call talked adds up to the call.',
  agentAvailable: 'How long they had chosen to be available, on a call or not.',
} as const;

export const serviceLevelMeaning = (seconds: number): string =>
  `Calls answered within ${seconds} seconds of entering a queue, out of those that were answered or given up later than that.`;

/** Hours of a day or two, days of a few months, weeks of a year. */
export function intervalFor(days: Days): Interval {
  const count = countDays(days);
  if (count <= 2) return 'HOUR';
  if (count <= 92) return 'DAY';
  return count <= 400 ? 'WEEK' : 'MONTH';
}

const HOURS_A_DAY = 24;
/** The API gives at most 1000 buckets. */
const HOURS_MAX_DAYS = Math.floor(1000 / HOURS_A_DAY);
export const intervalsFor = (days: Days): Interval[] =>
  countDays(days) <= HOURS_MAX_DAYS ? ['HOUR', 'DAY', 'WEEK', 'MONTH'] : ['DAY', 'WEEK', 'MONTH'];

export const percent = (ratio: number | null): string =>
  ratio === null ? '–' : `${Math.round(ratio * 100)} %`;

/** Above it a percentage says less than the figure itself. */
const CHANGE_MAX_PERCENT = 500;

/** @param good which direction is the better one; null: neither */
export function trendOf(
  now: number | null,
  before: number | null,
  good: 'up' | 'down' | null,
): StatTrend | undefined {
  if (now === null || before === null) return undefined;
  if (now === before) return { direction: 'flat', text: 'As before', tone: 'neutral' };
  // From nothing, more is neither good nor bad: the period before may have no calls at all.
  if (before === 0) return { direction: 'up', text: 'None before', tone: 'neutral' };
  const direction = now > before ? 'up' : 'down';
  const tone = good === null ? 'neutral' : direction === good ? 'positive' : 'negative';
  const change = Math.round((Math.abs(now - before) / before) * 100);
  const text =
    change > CHANGE_MAX_PERCENT
      ? `${before} before`
      : `${change} % ${direction === 'up' ? 'more' : 'less'} than before`;
  return { direction, text, tone };
}

/** Of ratios: in points, for a share of a share misleads. */
export function pointsTrend(now: number | null, before: number | null): StatTrend | undefined {
  if (now === null || before === null) return undefined;
  const points = Math.round((now - before) * 100);
  if (points === 0) return { direction: 'flat', text: 'As before', tone: 'neutral' };
  return points > 0
    ? { direction: 'up', text: `${points} points more than before`, tone: 'positive' }
    : { direction: 'down', text: `${-points} points less than before`, tone: 'negative' };
}

/** A bucket's name on the clock of the report's time zone; `short` on an axis. */
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
