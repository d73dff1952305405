'use client';

import { Button, EmptyState, Page, SearchField, Table, type Column } from '@clarion/ui';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../me.tsx';
import type { RequestProblem } from '../request.ts';
import { useUrlState } from '../use-url-state.ts';
import { ReadProblem } from './ReadProblem.tsx';

export interface ListPageProps<T extends { ref: string }> {
  /** "Agents" */
  title: string;
  description: string;
  /** "New agent" */
  newLabel: string;
  /** "Find an agent" */
  findLabel: string;
  /** The searched text of a row. */
  textOf(row: T): string;
  /** Phone numbers match regardless of how their digits are grouped. */
  ignoreSpaces?: boolean;
  /** More filters of the list. */
  filter?: { control: ReactNode; keeps(row: T): boolean };
  /** All rows; undefined while loading. */
  rows: readonly T[] | undefined;
  error: RequestProblem | null;
  retry(): void;
  columns: readonly Column<T>[];
  /** The page of a row. Without it, a row opens in a drawer. */
  rowHref?(row: T): string;
  /** Shown without any rows, and without matching rows. */
  empty: { icon: ReactNode; title: string; text: string };
  noneFits: { title: string; text: string };
  /** The drawer of the open row, or of a new one. */
  children(opened: Opened<T>): ReactNode;
}

export interface Opened<T> {
  target: T | 'new' | null;
  /** The existing refs. */
  taken: readonly string[];
  onClose(): void;
}

/** A list of resources with refs. The search and the open row are in the page's URL (`q`, `open`, `new`). */
export function ListPage<T extends { ref: string }>(props: ListPageProps<T>) {
  const { title, description, newLabel, findLabel, rows: all, error, filter, empty, noneFits } = props;
  const me = useMe();
  const url = useUrlState();
  const plain = (text: string) =>
    props.ignoreSpaces ? text.toLowerCase().replaceAll(' ', '') : text.toLowerCase();
  const words = plain(url.get('q'));
  const fits = (row: T) => plain(props.textOf(row)).includes(words) && (filter?.keeps(row) ?? true);
  const open = all?.find(({ ref }) => ref === url.get('open')) ?? null;
  const create = me.may('manage') && (
    <Button
      tone="accent"
      icon={<Plus className="size-4" />}
      onClick={() => url.set({ new: '1', open: null })}
    >
      {newLabel}
    </Button>
  );
  return (
    <Page title={title} description={description} actions={create}>
      {error !== null ? (
        <ReadProblem what={`The ${title.toLowerCase()}`} problem={error} onRetry={() => props.retry()} />
      ) : (
        <div className="flex flex-col gap-3">
          {(all?.length ?? 0) > 0 && (
            <div className="flex flex-wrap items-center justify-between gap-3">
              <SearchField label={findLabel} value={url.get('q')} onChange={(q) => url.set({ q })} />
              {filter?.control}
            </div>
          )}
          <Table
            label={title}
            columns={props.columns}
            rows={all?.filter(fits)}
            rowKey={({ ref }) => ref}
            {...(props.rowHref
              ? { rowHref: props.rowHref }
              : { onRowOpen: ({ ref }: T) => url.set({ open: ref }), current: open?.ref ?? null })}
            stacked
            empty={
              all?.length === 0 ? (
                <EmptyState icon={empty.icon} title={empty.title} action={create}>
                  {empty.text}
                </EmptyState>
              ) : (
                <EmptyState title={noneFits.title}>{noneFits.text}</EmptyState>
              )
            }
          />
        </div>
      )}
      {props.children({
        target: url.get('new') === '' ? open : 'new',
        taken: all?.map(({ ref }) => ref) ?? [],
        onClose: () => url.set({ new: null, open: null }),
      })}
    </Page>
  );
}
