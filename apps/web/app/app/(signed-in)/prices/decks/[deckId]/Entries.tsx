'use client';

import { Button, ButtonLink, EmptyState, Pagination, whenOpen } from '@clarion/ui';
import { CircleDollarSign, Plus, Upload } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useLast } from '#lib/dashboard/edit/use-last.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import { importHref } from '#lib/dashboard/rate-decks/deck-labels.ts';
import {
  FILTER_NAMES,
  filtersOf,
  isFiltered,
  listQuery,
  nextSort,
  PAGE_ROWS,
} from '#lib/dashboard/rate-decks/entry-filters.ts';
import { counted } from '#lib/dashboard/rate-decks/format-rate.ts';
import { ENTRIES_PATH, type Deck } from '#lib/dashboard/rate-decks/resources.ts';
import { useSettled } from '#lib/dashboard/rate-decks/use-settled.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { CallCost } from './CallCost.tsx';
import { EntryFilterBar } from './EntryFilterBar.tsx';
import { EntryTable } from './EntryTable.tsx';
import { ExportDeck } from './ExportDeck.tsx';
import type { NewEntryProps } from './NewEntry.tsx';
import type { PriceHistoryProps } from './PriceHistory.tsx';

const NewEntry = whenOpen<NewEntryProps>(
  async () => (await import('./NewEntry.tsx')).NewEntry,
  ({ open }) => open,
);
const PriceHistory = whenOpen<PriceHistoryProps>(
  async () => (await import('./PriceHistory.tsx')).PriceHistory,
  ({ open }) => open,
);

interface EntriesProps {
  deck: Deck;
  /** No price is in force or scheduled. */
  isEmpty: boolean;
}

/** The prices of the deck: search, filters, changes, history and export. Filters and the open history are in the URL. */
export function Entries({ deck, isEmpty }: EntriesProps) {
  const url = useUrlState();
  const typed = filtersOf(url.get);
  const settled = useSettled(JSON.stringify([typed.q, typed.min, typed.max]));
  const [q, min, max] = JSON.parse(settled) as [string, string, string];
  const filters = { ...typed, q, min, max };
  const { data, error, refetch, isPlaceholderData } = useGet(
    ENTRIES_PATH,
    { path: { deckId: deck.id }, query: listQuery(filters) },
    { keepPrevious: true },
  );
  const filtered = isFiltered(filters);
  const showsMatch = filters.page === 1 && (filters.status === null || filters.status === 'CURRENT');
  const history = url.get('history');
  const shownHistory = useLast(history || null);
  const add = (
    <Button icon={<Plus className="size-4" aria-hidden />} onClick={() => url.set({ add: '1' })}>
      Add a price
    </Button>
  );
  const clear = () =>
    url.set({ ...Object.fromEntries(FILTER_NAMES.map((name) => [name, null])), page: null });
  const pageCount = Math.ceil((data?.total ?? 0) / PAGE_ROWS);
  return (
    <div className="flex min-w-0 flex-col gap-6">
      {!isEmpty && <CallCost deck={deck} />}
      {isEmpty && !filtered && data?.total === 0 ? (
        <EmptyState
          icon={<CircleDollarSign />}
          title="No prices yet"
          className="max-w-none! rounded-panel border border-line bg-surface"
          action={
            <>
              <ButtonLink
                tone="accent"
                href={importHref(deck.id)}
                icon={<Upload className="size-4" aria-hidden />}
              >
                Import a file
              </ButtonLink>
              {add}
            </>
          }
        >
          <p className="mx-auto max-w-md">
            Import the price list of your carrier as a CSV file, or add prices one by one. You see what an
            import changes before anything is changed.
          </p>
        </EmptyState>
      ) : (
        <section aria-label="Prices" className="flex min-w-0 flex-col gap-3">
          <EntryFilterBar filters={typed} onChange={(changes) => url.set({ ...changes, page: null })} />
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p role="status" className="text-md text-muted">
              {data !== undefined &&
                `${counted(data.total, 'price')}${filtered ? ` match${data.total === 1 ? 'es' : ''} the filters` : ''}`}
            </p>
            <div className="flex flex-wrap gap-2">
              {filtered && <Button onClick={clear}>Clear filters</Button>}
              <ExportDeck deckId={deck.id} filters={filters} />
              {add}
            </div>
          </div>
          {error !== null ? (
            <ReadProblem what="The prices" problem={error} onRetry={() => void refetch()} />
          ) : (
            <EntryTable
              deck={deck}
              entries={data?.entries}
              match={showsMatch ? data?.match : undefined}
              stale={isPlaceholderData}
              sort={filters.sort}
              onSort={(column) => url.set({ sort: nextSort(column, filters.sort), page: null })}
              onHistory={(prefix) => url.set({ history: prefix })}
              empty={
                <EmptyState
                  title="No matching prices"
                  action={<Button onClick={clear}>Clear filters</Button>}
                >
                  No prices of this deck match these filters.
                </EmptyState>
              }
              footer={
                pageCount > 1 ? (
                  <Pagination
                    page={filters.page}
                    pageCount={pageCount}
                    onPage={(page) => url.set({ page: page === 1 ? null : String(page) })}
                  />
                ) : undefined
              }
            />
          )}
        </section>
      )}
      <NewEntry deck={deck} open={url.get('add') !== ''} onClose={() => url.set({ add: null })} />
      {shownHistory !== null && (
        <PriceHistory
          deck={deck}
          prefix={shownHistory}
          open={history !== ''}
          onClose={() => url.set({ history: null })}
        />
      )}
    </div>
  );
}
