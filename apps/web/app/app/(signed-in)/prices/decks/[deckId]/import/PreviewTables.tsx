'use client';

import {
  Badge,
  Button,
  DateTime,
  None,
  Notice,
  Section,
  Stat,
  StatRow,
  Table,
  type Column,
  type TableProps,
  type Tone,
} from '@clarion/ui';
import { useState } from 'react';
import { counted, formatCount, formatRate } from '#lib/dashboard/rate-decks/format-rate.ts';
import type { Preview } from '#lib/dashboard/rate-decks/resources.ts';

type Change = Preview['changes'][number];
type SkippedRow = Preview['skippedRows'][number];

/** The counts for the whole file, the first changes, and the first rows that cannot be read. */
export function PreviewTables({ preview }: { preview: Preview }) {
  const { mode, added, changed, ended, changes, skippedRows, rows, skipped } = preview;
  const total = added + changed + ended;
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <ImportCounts counts={preview} />
      <div role="status" className="flex flex-col gap-3 empty:hidden">
        {rows === skipped ? (
          <Notice tone="negative" title="No rows in this file can be imported">
            Go back and check the columns, or correct the file. The rows below say why.
          </Notice>
        ) : (
          total === 0 && (
            <Notice tone="positive">
              The rate deck already has these prices: importing changes nothing.
            </Notice>
          )
        )}
        {mode === 'FULL' && ended > 0 && (
          <Notice tone="warning" title={`${counted(ended, 'price')} will end`}>
            The file does not contain them. If it lists changes only, choose “Only changes”.
          </Notice>
        )}
      </div>
      {skipped > 0 && (
        <FirstRows
          title="Skipped rows"
          note="These lines of the file are left out."
          total={skipped}
          columns={skippedColumns}
          rows={skippedRows}
          rowKey={({ line }) => line}
        />
      )}
      {total > 0 && (
        <FirstRows
          title="Changes"
          total={total}
          columns={changeColumns}
          rows={changes}
          rowKey={({ prefix, change, effectiveFrom }) => `${prefix} ${change} ${effectiveFrom}`}
          stacked
        />
      )}
    </div>
  );
}

const SHOWN_FIRST = 10;

interface FirstRowsProps<T> extends Pick<TableProps<T>, 'columns' | 'rowKey' | 'stacked'> {
  title: string;
  note?: string;
  /** Of which the service lists the first. */
  total: number;
  rows: readonly T[];
}

/** A few rows at first: the skipped ones must not push the changes out of sight. */
function FirstRows<T>({ title, note, total, rows, ...table }: FirstRowsProps<T>) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, SHOWN_FIRST);
  const count =
    shown.length < total ? `The first ${formatCount(shown.length)} of ${formatCount(total)}.` : '';
  return (
    <Section title={title} description={[note, count].filter(Boolean).join(' ') || undefined}>
      <Table
        {...table}
        label={title}
        rows={shown}
        empty={null}
        footer={
          shown.length < rows.length ? (
            <Button size="sm" onClick={() => setAll(true)}>
              Show {formatCount(rows.length - shown.length)} more
            </Button>
          ) : undefined
        }
      />
    </Section>
  );
}

/** Also of an import that was made. */
export function ImportCounts({ counts }: { counts: Omit<Preview, 'mode' | 'changes' | 'skippedRows'> }) {
  const { rows, added, changed, ended, unchanged, skipped } = counts;
  return (
    <StatRow>
      <Stat label="Rows in the file" value={formatCount(rows)} />
      <Stat label="Added" value={formatCount(added)} />
      <Stat label="Changed" value={formatCount(changed)} />
      <Stat label="Ended" value={formatCount(ended)} {...(ended > 0 && { tone: 'warning' as const })} />
      <Stat label="Unchanged" value={formatCount(unchanged)} />
      <Stat label="Skipped" value={formatCount(skipped)} {...(skipped > 0 && { tone: 'warning' as const })} />
    </StatRow>
  );
}

const changeTexts: Record<Change['change'], { label: string; tone: Tone }> = {
  ADDED: { label: 'Added', tone: 'positive' },
  CHANGED: { label: 'Changed', tone: 'accent' },
  ENDED: { label: 'Ended', tone: 'warning' },
};

const rate = (amount: string | null) => (amount === null ? <None /> : formatRate(amount));

const changeColumns: Column<Change>[] = [
  {
    key: 'prefix',
    header: 'Prefix',
    cell: ({ prefix, destination }) => (
      <span className="flex min-w-0 flex-col">
        <span className="font-medium text-ink tabular-nums">{prefix}</span>
        <span className="font-normal wrap-anywhere text-muted sm:hidden">{destination}</span>
      </span>
    ),
  },
  {
    key: 'destination',
    header: 'Destination',
    hideBelow: 'sm',
    cell: ({ destination }) => <span className="wrap-anywhere">{destination ?? <None />}</span>,
  },
  {
    key: 'change',
    header: 'Change',
    cell: ({ change, oldRate, newRate }) => (
      <span className="flex flex-wrap items-center gap-x-2 max-sm:justify-end">
        <Badge tone={changeTexts[change].tone}>{changeTexts[change].label}</Badge>
        {oldRate === newRate && <span className="text-sm text-muted">Name, blocks or fee</span>}
      </span>
    ),
  },
  {
    key: 'old',
    header: 'Rate before',
    align: 'end',
    hideBelow: 'sm',
    cell: ({ oldRate }) => rate(oldRate),
  },
  {
    key: 'new',
    header: 'Rate after',
    align: 'end',
    cell: ({ oldRate, newRate }) => (
      <span>
        {oldRate !== null && <span className="text-muted sm:hidden">{formatRate(oldRate)} → </span>}
        <span className="font-medium text-ink">{rate(newRate)}</span>
      </span>
    ),
  },
  {
    key: 'from',
    header: 'From',
    align: 'end',
    nowrap: true,
    cell: ({ effectiveFrom }) => <DateTime at={effectiveFrom} />,
  },
];

const skippedColumns: Column<SkippedRow>[] = [
  { key: 'line', header: 'Line', width: '5rem', cell: ({ line }) => formatCount(line) },
  { key: 'reason', header: 'Reason', cell: ({ reason }) => <span className="wrap-anywhere">{reason}</span> },
];
