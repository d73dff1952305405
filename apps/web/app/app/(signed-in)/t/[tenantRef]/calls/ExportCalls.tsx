'use client';

import { channelName, customerNumber } from '@clarion/ui';
import { toCsv } from '#lib/dashboard/csv.ts';
import { outcomeLabel, type Call } from '#lib/dashboard/calls/outcome-labels.ts';
import { EXPORT_MAX_ROWS, EXPORT_PAGE_ROWS, ExportCsv } from '#lib/dashboard/ExportCsv.tsx';
import { request } from '#lib/dashboard/request.ts';
import type { queryOf } from '#lib/dashboard/calls/filters.ts';

interface ExportCallsProps {
  tenantRef: string;
  query: ReturnType<typeof queryOf>;
  /** The number of calls; undefined until it is known. */
  total: number | undefined;
}

/** Exports the filtered calls. */
export const ExportCalls = ({ tenantRef, query, total }: ExportCallsProps) => (
  <ExportCsv
    of="call"
    total={total}
    read={(signal, onRead) => readAll(tenantRef, query, signal, onRead)}
    fileName={() => `calls-${tenantRef}-${new Date().toISOString().slice(0, 10)}.csv`}
    csv={callsCsv}
  />
);

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
      query: { ...query, limit: EXPORT_PAGE_ROWS, ...(beforeId !== null && { before_id: beforeId }) },
    };
    const page: { calls: Call[]; nextBeforeId: number | null } = await request(
      'GET',
      '/v1/tenants/{tenantRef}/calls',
      input,
      { signal },
    );
    calls.push(...page.calls);
    beforeId = page.calls.length < EXPORT_PAGE_ROWS ? null : page.nextBeforeId;
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
