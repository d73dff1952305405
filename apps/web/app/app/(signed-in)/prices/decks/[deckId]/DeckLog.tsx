'use client';

import { Badge, DateTime, EmptyState, Table, type Column } from '@clarion/ui';
import { History } from 'lucide-react';
import { counted, formatCount } from '#lib/dashboard/rate-decks/format-rate.ts';
import type { DeckImport } from '#lib/dashboard/rate-decks/resources.ts';

/** The most recent imports of files and manual changes. */
export function DeckLog({ imports }: { imports: readonly DeckImport[] }) {
  return (
    <Table
      label="Imports and edits"
      columns={columns}
      rows={imports}
      rowKey={({ id }) => id}
      stacked
      empty={
        <EmptyState icon={<History />} title="No imports or edits yet">
          The last 50 imported files and changes made by hand are listed here.
        </EmptyState>
      }
    />
  );
}

const columns: Column<DeckImport>[] = [
  {
    key: 'what',
    header: 'Change',
    cell: ({ kind, fileName, note }) => (
      <span className="font-medium wrap-anywhere text-ink">
        {kind === 'FILE' ? (fileName ?? 'A file without a name') : note}
      </span>
    ),
  },
  {
    key: 'kind',
    header: 'Kind',
    cell: ({ kind, mode }) => (
      <Badge tone={kind === 'FILE' ? 'accent' : 'neutral'}>
        {kind === 'EDIT' ? 'Edit' : mode === 'CHANGES' ? 'File with changes' : 'Full file'}
      </Badge>
    ),
  },
  { key: 'result', header: 'Result', cell: (row) => <span className="text-muted">{resultOf(row)}</span> },
  {
    key: 'at',
    header: 'Time',
    align: 'end',
    nowrap: true,
    cell: ({ createdAt }) => <DateTime at={createdAt} />,
  },
];

/** "1,200 prices added, 3 changed, 2 rows skipped"; only what is not zero. */
function resultOf({ added, changed, ended, unchanged, skipped }: DeckImport): string {
  const [first, ...others] = (
    [
      [added, 'added'],
      [changed, 'changed'],
      [ended, 'ended'],
      [unchanged, 'unchanged'],
    ] as const
  ).filter(([count]) => count > 0);
  const parts = [
    first === undefined ? 'Nothing changed' : `${counted(first[0], 'price')} ${first[1]}`,
    ...others.map(([count, what]) => `${formatCount(count)} ${what}`),
    ...(skipped > 0 ? [`${counted(skipped, 'row')} skipped`] : []),
  ];
  return parts.join(', ');
}
