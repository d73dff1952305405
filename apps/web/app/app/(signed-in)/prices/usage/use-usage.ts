'use client';

/** The state of the usage page, kept in its URL. */
import { useState } from 'react';
import { countDays, lastDays, windowOf, zoneOfReader, type Days } from '#lib/dashboard/calls/days.ts';
import { useUrlState, type UrlState } from '#lib/dashboard/use-url-state.ts';

const DEFAULT_DAYS = 30;
/** The API's longest window (docs/requirements.md#limits). */
export const DAYS_MAX = 400;
export const PAGE_ROWS = 50;

export interface UsageView {
  url: UrlState;
  days: Days;
  tenantRef: string;
  page: number;
  zone: string;
  now: Date;
  tooLong: boolean;
}

export function useUsage(): UsageView {
  const url = useUrlState();
  const [now] = useState(() => new Date());
  const usual = lastDays(now, DEFAULT_DAYS);
  const days = { from: url.get('from') || usual.from, to: url.get('to') || usual.to };
  const page = Number(url.get('page') || 1);
  return {
    url,
    days,
    tenantRef: url.get('tenant'),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    zone: zoneOfReader(),
    now,
    tooLong: countDays(days) > DAYS_MAX,
  };
}

export const usageQuery = ({ days, tenantRef }: UsageView) => ({
  ...windowOf(days),
  ...(tenantRef !== '' && { tenant_ref: tenantRef }),
});
