'use client';

import { Button, channelName, customerNumber, Dialog, ProgressBar, useToasts } from '@clarion/ui';
import { Download } from 'lucide-react';
import { useRef, useState } from 'react';
import { saveFile, toCsv } from '#lib/dashboard/csv.ts';
import { outcomeLabel, type Call } from '#lib/dashboard/calls/outcome-labels.ts';
import { request, RequestProblem } from '#lib/dashboard/request.ts';
import type { queryOf } from '#lib/dashboard/calls/filters.ts';

/** The most rows of one file: a browser can hold them, and they take a hundred requests. */
const EXPORT_MAX_ROWS = 20_000;
const PAGE_ROWS = 200;

interface ExportCallsProps {
  tenantRef: string;
  query: ReturnType<typeof queryOf>;
  /** The number of calls; undefined until it is known. */
  total: number | undefined;
}

/** Exports the filtered calls, newest first, as a file created in the browser. */
export function ExportCalls({ tenantRef, query, total }: ExportCallsProps) {
  const toasts = useToasts();
  const stop = useRef<AbortController>(null);
  const [done, setDone] = useState<number | null>(null);
  const rows = Math.min(total ?? 0, EXPORT_MAX_ROWS);

  async function save() {
    const aborting = new AbortController();
    stop.current = aborting;
    setDone(0);
    try {
      const calls = await readAll(tenantRef, query, aborting.signal, setDone);
      saveFile(`calls-${tenantRef}-${new Date().toISOString().slice(0, 10)}.csv`, callsCsv(calls));
      const cut = (total ?? 0) > calls.length && calls.length >= EXPORT_MAX_ROWS;
      toasts.add({
        title: `${calls.length.toLocaleString('en-GB')} calls exported`,
        ...(cut && {
          description: 'Only the newest calls were exported. Choose a shorter period to export older ones.',
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
        title="Exporting calls"
        description={`${(done ?? 0).toLocaleString('en-GB')} of ${rows.toLocaleString('en-GB')}`}
        onOpenChange={() => stop.current?.abort()}
        footer={<Button onClick={() => stop.current?.abort()}>Cancel</Button>}
      >
        <ProgressBar
          label="Calls exported"
          value={rows === 0 ? null : Math.round(((done ?? 0) / rows) * 100)}
        />
      </Dialog>
    </>
  );
}

async function readAll(
  tenantRef: string,
  query: ExportCallsProps['query'],
  signal: AbortSignal,
  onRead: (rows: number) => void,
): Promise<Call[]> {
  const calls: Call[] = [];
  let beforeId: number | null = null;
  do {
    const input = {
      path: { tenantRef },
      query: { ...query, limit: PAGE_ROWS, ...(beforeId !== null && { before_id: beforeId }) },
    };
    const page: { calls: Call[]; nextBeforeId: number | null } = await request(
      'GET',
      '/v1/tenants/{tenantRef}/calls',
      input,
      { signal },
    );
    calls.push(...page.calls);
    beforeId = page.calls.length < PAGE_ROWS ? null : page.nextBeforeId;
    onRead(calls.length);
  } while (beforeId !== null && calls.length < EXPORT_MAX_ROWS);
  return calls.slice(0, EXPORT_MAX_ROWS);
}

const HEADER = [
  'Call',
  'Started (UTC)',
  'Direction',
  'Customer',
  'Number',
  'Outcome',
  'Reason',
  'Ended by',
  'Agent',
  'Queue',
  'Line',
  'Channel',
  'Waited (s)',
  'Talked (s)',
  'Answered (UTC)',
  'Ended (UTC)',
  'Your reference',
];

export const callsCsv = (calls: readonly Call[]): string =>
  toCsv([
    HEADER,
    ...calls.map((call) => [
      call.callId,
      call.createdAt,
      call.direction === 'INBOUND' ? 'Inbound' : 'Outbound',
      call.customer.name,
      call.customer.addressWithheld ? customerNumber(call.customer) : call.customer.address,
      outcomeLabel(call).title,
      call.terminationReason,
      call.terminatedBy,
      call.agentRef,
      call.queueRef,
      call.channelRef,
      channelName(call.channelType),
      call.queuedAt === null ? null : call.durations.wait,
      call.answeredAt === null ? null : call.durations.call,
      call.answeredAt,
      call.endedAt,
      call.externalRef,
    ]),
  ]);
