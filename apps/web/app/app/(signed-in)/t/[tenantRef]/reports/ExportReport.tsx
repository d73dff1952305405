'use client';

import { Button, useToasts } from '@clarion/ui';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { windowOf } from '#lib/dashboard/calls/days.ts';
import { saveFile, toCsv, type Cell } from '#lib/dashboard/csv.ts';
import { request, RequestProblem } from '#lib/dashboard/request.ts';
import { callQuery, type ReportView } from './use-report.ts';

/** Every figure of the API under its own name, so that a spreadsheet and a program read the same. */
export function ExportReport({
  tenantRef,
  view,
  agents,
}: {
  tenantRef: string;
  view: ReportView;
  agents: boolean;
}) {
  const toasts = useToasts();
  const [busy, setBusy] = useState(false);
  async function save() {
    setBusy(true);
    try {
      const rows = agents ? await agentRows(tenantRef, view) : await callRows(tenantRef, view);
      const [first = {}] = rows;
      const names = Object.keys(first);
      const text = toCsv([names, ...rows.map((row) => names.map((name) => row[name] ?? null))]);
      saveFile(
        `${agents ? 'agents' : 'calls-report'}-${tenantRef}-${view.days.from}-${view.days.to}.csv`,
        text,
      );
    } catch (error) {
      const detail = error instanceof RequestProblem ? error.message : 'The file could not be created.';
      toasts.add({ title: 'Nothing was exported', description: detail, tone: 'negative' });
    } finally {
      setBusy(false);
    }
  }
  return (
    <Button icon={<Download className="size-4" aria-hidden />} busy={busy} onClick={() => void save()}>
      Export CSV
    </Button>
  );
}

type Row = Record<string, Cell>;

async function callRows(tenantRef: string, view: ReportView): Promise<Row[]> {
  const { buckets } = await request('GET', '/v1/tenants/{tenantRef}/reports/calls', {
    path: { tenantRef },
    query: callQuery(view, view.days),
  });
  return buckets;
}

async function agentRows(tenantRef: string, view: ReportView): Promise<Row[]> {
  const { agents } = await request('GET', '/v1/tenants/{tenantRef}/reports/agents', {
    path: { tenantRef },
    query: windowOf(view.days),
  });
  return agents;
}
