'use client';

import { DateTime, Drawer, Table, type Column } from '@clarion/ui';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { EntryStatusBadge } from '#lib/dashboard/rate-decks/EntryStatusText.tsx';
import { formatBlocks, formatFee, formatRate } from '#lib/dashboard/rate-decks/format-rate.ts';
import { ENTRIES_PATH, type Deck, type Entry } from '#lib/dashboard/rate-decks/resources.ts';

export interface PriceHistoryProps {
  deck: Deck;
  prefix: string;
  open: boolean;
  onClose(): void;
}

/** Shorter prefixes come first in the list, and there are at most 14 of them with their own histories. */
const LIMIT = 500;

/** All prices of a prefix: coming, in force and ended, latest first. */
export function PriceHistory({ deck, prefix, open, onClose }: PriceHistoryProps) {
  const path = { deckId: deck.id };
  const query = { q: prefix, limit: LIMIT };
  const ended = useGet(ENTRIES_PATH, { path, query: { ...query, status: 'ENDED' } }, { enabled: open });
  const others = useGet(ENTRIES_PATH, { path, query }, { enabled: open });
  const error = ended.error ?? others.error;
  const rows =
    ended.data && others.data
      ? [...others.data.entries, ...ended.data.entries]
          .filter((entry) => entry.prefix === prefix)
          .toSorted((a, b) => Date.parse(b.effectiveFrom) - Date.parse(a.effectiveFrom))
      : undefined;
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => next || onClose()}
      title={`Price history of ${prefix}`}
      description={rows?.[0]?.destination ?? undefined}
      size="lg"
    >
      {error !== null ? (
        <ReadProblem
          what="The price history"
          problem={error}
          onRetry={() => void Promise.all([ended.refetch(), others.refetch()])}
        />
      ) : (
        <Table
          label={`Price history of ${prefix}`}
          columns={columns(deck.currency)}
          rows={rows}
          rowKey={({ id }) => id}
          stacked
          empty={<p className="p-5 text-muted">This prefix has no prices.</p>}
        />
      )}
    </Drawer>
  );
}

const columns = (currency: string): Column<Entry>[] => [
  { key: 'status', header: 'Status', cell: (entry) => <EntryStatusBadge entry={entry} /> },
  {
    key: 'rate',
    header: `Rate (${currency})`,
    align: 'end',
    cell: ({ rate }) => <span className="font-medium text-ink">{formatRate(rate)}</span>,
  },
  {
    key: 'blocks',
    header: 'Blocks',
    align: 'end',
    cell: ({ initialSeconds, incrementSeconds }) => formatBlocks(initialSeconds, incrementSeconds),
  },
  { key: 'fee', header: 'Fee', align: 'end', cell: ({ connectionFee }) => formatFee(connectionFee) },
  {
    key: 'from',
    header: 'From',
    nowrap: true,
    cell: ({ effectiveFrom }) => <DateTime at={effectiveFrom} seconds />,
  },
  { key: 'to', header: 'To', nowrap: true, cell: ({ effectiveTo }) => <DateTime at={effectiveTo} seconds /> },
];
