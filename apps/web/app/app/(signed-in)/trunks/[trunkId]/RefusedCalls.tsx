'use client';

import { DateTime, EmptyState, Section, Table, type Column } from '@clarion/ui';
import { ShieldCheck } from 'lucide-react';
import type { Refusal } from './use-diagnostics.ts';
import { FailureLinks } from './FailureLinks.tsx';

interface RefusedCallsProps {
  /** Undefined while loading. */
  refusals: readonly Refusal[] | undefined;
  onField(field: string): void;
}

/** Calls that were rejected on the trunk, each with what to change. */
export function RefusedCalls({ refusals, onField }: RefusedCallsProps) {
  const columns: Column<Refusal>[] = [
    {
      key: 'reason',
      header: 'Reason',
      width: '50%',
      cell: ({ reason, fix, docs, field }) => (
        <div className="flex min-w-0 flex-col gap-1 text-left text-pretty wrap-anywhere">
          <span className="font-medium text-ink">{reason}</span>
          {fix !== null && <span className="font-normal text-muted">{fix}</span>}
          <FailureLinks docs={docs} field={field} onField={onField} />
        </div>
      ),
    },
    {
      key: 'call',
      header: 'Call',
      nowrap: true,
      cell: ({ number, source }) => (
        <span className="flex flex-col">
          <span className="tabular-nums">to {number}</span>
          <span className="text-sm text-muted">
            from <code className="font-mono">{source}</code>
          </span>
        </span>
      ),
    },
    { key: 'status', header: 'Response', align: 'end', cell: ({ status }) => status },
    { key: 'at', header: 'Time', nowrap: true, align: 'end', cell: ({ at }) => <DateTime at={at} seconds /> },
  ];
  return (
    <Section
      title="Rejected calls"
      description="Inbound calls that were rejected in the last 7 days, newest first, at most 50."
    >
      <Table
        label="Rejected calls"
        columns={columns}
        rows={refusals}
        rowKey={({ at, number, source }) => `${at} ${number} ${source}`}
        stacked
        empty={
          <EmptyState icon={<ShieldCheck />} title="No rejected calls">
            Every call that reached this trunk in the last 7 days was accepted. A rejected one appears here
            with its reason and what to change.
          </EmptyState>
        }
      />
    </Section>
  );
}
