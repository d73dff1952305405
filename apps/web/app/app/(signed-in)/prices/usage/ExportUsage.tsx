'use client';

import { EXPORT_MAX_ROWS, EXPORT_PAGE_ROWS, ExportCsv } from '#lib/dashboard/ExportCsv.tsx';
import { request } from '#lib/dashboard/request.ts';
import { usageCsv } from '#lib/dashboard/usage/usage-csv.ts';
import type { UsageRecord } from '#lib/dashboard/usage/usage-figures.ts';
import { usageQuery, type UsageView } from './use-usage.ts';

/** Exports the usage of the period. */
export const ExportUsage = ({ view, total }: { view: UsageView; total: number | undefined }) => (
  <ExportCsv
    of="usage record"
    total={total}
    read={(signal, onRead) => readAll(usageQuery(view), signal, onRead)}
    fileName={() => `usage-${view.days.from}-${view.days.to}.csv`}
    csv={usageCsv}
  />
);

async function readAll(
  query: ReturnType<typeof usageQuery>,
  signal: AbortSignal,
  onRead: (rows: number) => void,
): Promise<UsageRecord[]> {
  const records: UsageRecord[] = [];
  // Usage recorded from now on would move the pages.
  const now = new Date().toISOString();
  const to = query.to !== undefined && query.to < now ? query.to : now;
  for (let page = 1; records.length < EXPORT_MAX_ROWS; page += 1) {
    const { usage } = await request(
      'GET',
      '/v1/usage',
      { query: { ...query, to, page, limit: EXPORT_PAGE_ROWS } },
      { signal },
    );
    records.push(...usage);
    onRead(records.length);
    if (usage.length < EXPORT_PAGE_ROWS) break;
  }
  return records.slice(0, EXPORT_MAX_ROWS);
}
