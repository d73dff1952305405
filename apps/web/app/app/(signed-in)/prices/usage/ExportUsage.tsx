'use client';

import { Button, Dialog, ProgressBar, useToasts } from '@clarion/ui';
import { Download } from 'lucide-react';
import { useRef, useState } from 'react';
import { saveFile } from '#lib/dashboard/csv.ts';
import { counted } from '#lib/dashboard/rate-decks/format-rate.ts';
import { request, RequestProblem } from '#lib/dashboard/request.ts';
import { usageCsv } from '#lib/dashboard/usage/usage-csv.ts';
import type { UsageRecord } from '#lib/dashboard/usage/usage-figures.ts';
import { usageQuery, type UsageView } from './use-usage.ts';

/** The most rows of one file: a browser can hold them, and they take a hundred requests. */
const EXPORT_MAX_ROWS = 20_000;
const REQUEST_ROWS = 200;

/** Exports the usage of the period, newest first, as a file created in the browser. */
export function ExportUsage({ view, total }: { view: UsageView; total: number | undefined }) {
  const toasts = useToasts();
  const stop = useRef<AbortController>(null);
  const [done, setDone] = useState<number | null>(null);
  const rows = Math.min(total ?? 0, EXPORT_MAX_ROWS);

  async function save() {
    const aborting = new AbortController();
    stop.current = aborting;
    setDone(0);
    try {
      const records = await readAll(usageQuery(view), aborting.signal, setDone);
      saveFile(`usage-${view.days.from}-${view.days.to}.csv`, usageCsv(records));
      toasts.add({
        title: `${counted(records.length, 'usage record')} exported`,
        ...((total ?? 0) > EXPORT_MAX_ROWS && {
          description: 'Only the newest records were exported. Choose a shorter period to export older ones.',
        }),
        tone: 'positive',
      });
    } catch (error) {
      if (aborting.signal.aborted) return;
      const detail = error instanceof RequestProblem ? error.message : 'The file could not be created.';
      toasts.add({ title: 'Nothing was exported', description: detail, tone: 'negative' });
    } finally {
      setDone(null);
    }
  }

  return (
    <>
      <Button
        icon={<Download className="size-4" aria-hidden />}
        disabled={total === undefined || total === 0}
        busy={done !== null}
        onClick={() => void save()}
      >
        Export CSV
      </Button>
      <Dialog
        open={done !== null}
        keepOpen
        size="sm"
        title="Exporting usage"
        description={`${(done ?? 0).toLocaleString('en-GB')} of ${rows.toLocaleString('en-GB')}`}
        onOpenChange={() => stop.current?.abort()}
        footer={<Button onClick={() => stop.current?.abort()}>Cancel</Button>}
      >
        <ProgressBar
          label="Records exported"
          value={rows === 0 ? null : Math.round(((done ?? 0) / rows) * 100)}
        />
      </Dialog>
    </>
  );
}

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
      { query: { ...query, to, page, limit: REQUEST_ROWS } },
      { signal },
    );
    records.push(...usage);
    onRead(records.length);
    if (usage.length < REQUEST_ROWS) break;
  }
  return records.slice(0, EXPORT_MAX_ROWS);
}
