/** The columns of a deck's prices, and those of a row that is being edited. */
import { Badge, Button, IconButton, TextField, type Column } from '@clarion/ui';
import { History, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EntryDraft } from '#lib/dashboard/rate-decks/entry-draft.ts';
import type { Sort } from '#lib/dashboard/rate-decks/entry-filters.ts';
import { statusOf } from '#lib/dashboard/rate-decks/entry-status.ts';
import { EntryStatusText } from '#lib/dashboard/rate-decks/EntryStatusText.tsx';
import { formatBlocks, formatFee, formatRate } from '#lib/dashboard/rate-decks/format-rate.ts';
import type { Entry } from '#lib/dashboard/rate-decks/resources.ts';

interface Shown {
  currency: string;
  /** The price in force for the searched number. */
  matchId: number | null;
  sort: Sort;
  onSort(column: 'prefix' | 'destination' | 'rate'): void;
}

interface RowActions {
  onEdit(entry: Entry): void;
  onEnd(entry: Entry): void;
  onHistory(entry: Entry): void;
}

interface Editing {
  id: number;
  draft: EntryDraft;
  change(changes: Partial<EntryDraft>): void;
  busy: boolean;
  onCancel(): void;
}

export function entryColumns(
  { currency, matchId, sort, onSort }: Shown,
  { onEdit, onEnd, onHistory }: RowActions,
  editedId: number | null = null,
): Column<Entry>[] {
  /** What a phone shows below the prefix or the rate, unless it is being edited. */
  const onPhones = { hideBelow: 'sm' as const, keepIn: ({ id }: Entry) => id === editedId };
  const sortBy = (column: 'prefix' | 'destination' | 'rate') => ({
    direction:
      sort === column ? ('asc' as const) : column === 'rate' && sort === '-rate' ? ('desc' as const) : null,
    onSort: () => onSort(column),
  });
  return [
    {
      key: 'prefix',
      header: 'Prefix',
      sort: sortBy('prefix'),
      cell: ({ id, prefix, destination }) => (
        <span className="flex min-w-0 flex-col gap-y-0.5 max-sm:items-end">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1 max-sm:justify-end">
            <span className="font-medium text-ink tabular-nums">{prefix}</span>
            {id === matchId && (
              <Badge tone="accent" className="bg-surface!">
                Prices this number
              </Badge>
            )}
          </span>
          {id !== editedId && (
            <span className="font-normal wrap-anywhere text-muted sm:hidden">{destination}</span>
          )}
        </span>
      ),
    },
    {
      key: 'destination',
      header: 'Destination',
      ...onPhones,
      sort: sortBy('destination'),
      cell: ({ destination }) =>
        destination === null ? (
          <span className="text-muted">No name</span>
        ) : (
          <span className="wrap-anywhere">{destination}</span>
        ),
    },
    {
      key: 'rate',
      header: `Rate (${currency}/min)`,
      align: 'end',
      sort: sortBy('rate'),
      cell: ({ rate, initialSeconds, incrementSeconds, connectionFee }) => (
        <span>
          <span className="font-medium text-ink">{formatRate(rate)}</span>
          <span className="block text-sm text-muted sm:hidden">
            Blocks of {formatBlocks(initialSeconds, incrementSeconds)} s
            {connectionFee !== '0' && `, fee ${connectionFee}`}
          </span>
        </span>
      ),
    },
    {
      key: 'blocks',
      header: 'Blocks (s)',
      align: 'end',
      ...onPhones,
      cell: ({ initialSeconds, incrementSeconds }) => formatBlocks(initialSeconds, incrementSeconds),
    },
    {
      key: 'fee',
      header: 'Fee',
      align: 'end',
      ...onPhones,
      cell: ({ connectionFee }) => formatFee(connectionFee),
    },
    { key: 'status', header: 'Status', cell: (entry) => <EntryStatusText entry={entry} /> },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      nowrap: true,
      cell: (entry) => {
        const { prefix } = entry;
        const history = (
          <IconButton
            size="sm"
            label={`Price history of ${prefix}`}
            icon={<History aria-hidden />}
            onClick={() => onHistory(entry)}
          />
        );
        if (statusOf(entry, Date.now()) === 'ENDED') return history;
        return (
          <span className="-my-1 inline-flex">
            <IconButton
              size="sm"
              label={`Edit the price of ${prefix}`}
              icon={<Pencil aria-hidden />}
              data-edit={prefix}
              onClick={() => onEdit(entry)}
            />
            {history}
            <IconButton
              size="sm"
              label={`Delete the price of ${prefix}`}
              icon={<Trash2 aria-hidden />}
              onClick={() => onEnd(entry)}
            />
          </span>
        );
      },
    },
  ];
}

/** In the edited row, fields take the place of what they change. */
export function editColumns(shown: Shown, actions: RowActions, editing: Editing): Column<Entry>[] {
  const { id, draft, change, busy, onCancel } = editing;
  const field = (name: string, key: keyof EntryDraft, label: string, className: string) => (
    <TextField
      name={name}
      label={`${label} of ${draft.prefix}`}
      hideLabel
      value={draft[key]}
      onValueChange={(value) => change({ [key]: value })}
      autoComplete="off"
      focusFirst={key === 'rate'}
      {...(key !== 'destination' && { inputMode: 'decimal' as const })}
      className={className}
    />
  );
  const fields: Record<string, ReactNode> = {
    destination: field('destination', 'destination', 'Destination', 'w-full min-w-52 max-sm:max-w-56'),
    rate: field('rate', 'rate', 'Rate', 'ml-auto w-28 text-left'),
    blocks: (
      <span className="ml-auto flex w-fit items-start gap-1 text-left">
        {field('initial_seconds', 'initialSeconds', 'First block', 'w-16')}
        <span className="pt-1.5 text-muted" aria-hidden>
          /
        </span>
        {field('increment_seconds', 'incrementSeconds', 'Further blocks', 'w-16')}
      </span>
    ),
    fee: field('connection_fee', 'connectionFee', 'Connection fee', 'ml-auto w-24 text-left'),
    actions: (
      <span className="inline-flex gap-2">
        <Button size="sm" tone="accent" type="submit" busy={busy}>
          Save
        </Button>
        <Button size="sm" onClick={onCancel} disabled={busy}>
          Cancel
        </Button>
      </span>
    ),
  };
  return entryColumns(shown, actions, id).map((column) => ({
    ...column,
    cell: (entry) => (entry.id === id ? fields[column.key] : undefined) ?? column.cell(entry),
  }));
}
