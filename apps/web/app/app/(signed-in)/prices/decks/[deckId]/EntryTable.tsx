'use client';

import { Form, Notice, Table, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLeaveGuard } from '#lib/dashboard/edit/EditDrawer.tsx';
import { invalidate, useChange } from '#lib/dashboard/queries.ts';
import {
  assertComplete,
  bodyOf,
  draftOf,
  entryErrors,
  type EntryDraft,
} from '#lib/dashboard/rate-decks/entry-draft.ts';
import type { Sort } from '#lib/dashboard/rate-decks/entry-filters.ts';
import { DECK_PATHS, type Deck, type Entry } from '#lib/dashboard/rate-decks/resources.ts';
import { EndPrice } from './EndPrice.tsx';
import { editColumns, entryColumns } from './entry-columns.tsx';

interface EntryTableProps {
  deck: Deck;
  /** Undefined while they are loading. */
  entries: readonly Entry[] | undefined;
  /** The price in force for the searched number; null: none; undefined: no number was searched. */
  match: Entry | null | undefined;
  /** The rows of the previous filter, while others are loading. */
  stale: boolean;
  sort: Sort;
  onSort(column: 'prefix' | 'destination' | 'rate'): void;
  onHistory(prefix: string): void;
  empty: ReactNode;
  footer: ReactNode;
}

/** The prices, of which one at a time can be edited in its row. */
export function EntryTable(props: EntryTableProps) {
  const { deck, entries, match, stale, sort, onSort, onHistory, empty, footer } = props;
  const toasts = useToasts();
  const client = useQueryClient();
  const container = useRef<HTMLDivElement>(null);
  const [opened, setEditing] = useState<{ id: number; draft: EntryDraft; stored: string } | null>(null);
  const rows = entries && match ? [match, ...entries.filter(({ id }) => id !== match.id)] : entries;
  // Another filter or page may not have the row.
  const editing = rows?.some(({ id }) => id === opened?.id) ? opened : null;
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const [ending, setEnding] = useState<Entry | null>(null);
  const returnFocus = useReturnFocus(container);
  const put = useChange('PUT', '/v1/rate-decks/{deckId}/entries/{entryId}', { invalidates: DECK_PATHS });
  useLeaveGuard(editing !== null && JSON.stringify(editing.draft) !== editing.stored);

  const edit = (entry: Entry) => {
    const draft = draftOf(entry);
    setErrors({});
    setEditing({ id: entry.id, draft, stored: JSON.stringify(draft) });
  };
  const stop = (prefix: string) => {
    setEditing(null);
    setErrors({});
    returnFocus(prefix);
  };
  const cancel = () => {
    if (editing === null || busy) return;
    // The entry may have been changed by somebody else: that is one reason to cancel.
    if (Object.keys(errors).length > 0) void invalidate(client, DECK_PATHS);
    stop(editing.draft.prefix);
  };
  const save = async () => {
    if (editing === null) return;
    setBusy(true);
    try {
      assertComplete(editing.draft, { isNew: false });
      const { entry } = await put.mutateAsync({
        path: { deckId: deck.id, entryId: editing.id },
        body: bodyOf(editing.draft),
      });
      toasts.add({
        title: `Prefix ${entry.prefix} now costs ${entry.rate} ${deck.currency} per minute`,
        tone: 'positive',
      });
      stop(entry.prefix);
    } catch (problem) {
      setErrors(entryErrors(problem));
    } finally {
      setBusy(false);
    }
  };

  const shown = { currency: deck.currency, matchId: match?.id ?? null, sort, onSort };
  const actions = { onEdit: edit, onEnd: setEnding, onHistory: ({ prefix }: Entry) => onHistory(prefix) };
  const columns =
    editing === null
      ? entryColumns(shown, actions)
      : editColumns(shown, actions, {
          id: editing.id,
          draft: editing.draft,
          change: (changes) => {
            // “Nothing differs” is about all fields: while its error stays, the form would not be sent again.
            setErrors({});
            setEditing({ ...editing, draft: { ...editing.draft, ...changes } });
          },
          busy,
          onCancel: cancel,
        });
  return (
    <>
      {match === null && (
        <Notice>No price in force covers this number, so calls to it cannot be priced from this deck.</Notice>
      )}
      <div
        ref={container}
        role="presentation"
        onKeyDown={(event) => {
          if (event.key === 'Escape' && editing !== null) cancel();
        }}
      >
        <Form errors={errors} busy={busy} onSubmit={save}>
          <Table
            label="Prices"
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            current={match?.id ?? null}
            stacked
            className={stale ? 'opacity-60' : ''}
            empty={empty}
            footer={footer}
          />
        </Form>
      </div>
      <EndPrice
        deckId={deck.id}
        entry={ending}
        onClose={() => setEnding(null)}
        onEnded={({ prefix }) => returnFocus(prefix)}
      />
    </>
  );
}

/** Puts the focus back to the row of a prefix after its form or dialog has gone, or else to the table. */
function useReturnFocus(container: React.RefObject<HTMLElement | null>): (prefix: string) => void {
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    setWanted(null);
    const button = container.current?.querySelector<HTMLElement>(`[data-edit="${CSS.escape(wanted)}"]`);
    (button ?? container.current?.querySelector<HTMLElement>('[role=region]'))?.focus();
  }, [wanted, container]);
  return setWanted;
}
