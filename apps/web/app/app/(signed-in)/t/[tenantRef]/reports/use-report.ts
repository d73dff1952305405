'use client';

/** The state of the reports page, kept in its URL. */
import { useState } from 'react';
import { countDays, lastDays, windowOf, zoneOfReader } from '#lib/dashboard/calls/days.ts';
import type { Days } from '#lib/dashboard/calls/days.ts';
import { intervalFor, intervalsFor, type Interval } from '#lib/dashboard/reports/figures.ts';
import { useUrlState, type UrlState } from '#lib/dashboard/use-url-state.ts';

const DEFAULT_DAYS = 14;
/** The API's longest window (docs/requirements.md#limits). */
export const DAYS_MAX = 400;
export const SERVICE_LEVEL_SECONDS = { default: 20, choices: [10, 20, 30, 60, 120] } as const;
const SECONDS_MAX = 3600;

export interface ReportView {
  url: UrlState;
  days: Days;
  interval: Interval;
  intervals: readonly Interval[];
  serviceLevelSeconds: number;
  queue: string;
  line: string;
  compare: boolean;
  zone: string;
  now: Date;
  tooLong: boolean;
}

export function useReport(): ReportView {
  const url = useUrlState();
  const [now] = useState(() => new Date());
  const usual = lastDays(now, DEFAULT_DAYS);
  const days = { from: url.get('from') || usual.from, to: url.get('to') || usual.to };
  const intervals = intervalsFor(days);
  const seconds = Number(url.get('sl') || SERVICE_LEVEL_SECONDS.default);
  return {
    url,
    days,
    intervals,
    interval: intervals.find((known) => known === url.get('interval')) ?? intervalFor(days),
    serviceLevelSeconds:
      Number.isInteger(seconds) && seconds >= 0 && seconds <= SECONDS_MAX
        ? seconds
        : SERVICE_LEVEL_SECONDS.default,
    queue: url.get('queue'),
    line: url.get('line'),
    compare: url.get('compare') !== '0',
    zone: zoneOfReader(),
    now,
    tooLong: countDays(days) > DAYS_MAX,
  };
}

export const callQuery = (view: ReportView, days: Days) => ({
  ...windowOf(days),
  interval: view.interval,
  timezone: view.zone,
  service_level_seconds: view.serviceLevelSeconds,
  ...(view.queue !== '' && { queue_ref: view.queue }),
  ...(view.line !== '' && { channel_ref: view.line }),
});
