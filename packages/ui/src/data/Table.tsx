'use client';

import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { Skeleton } from '../feedback/Skeleton.tsx';
import { classNames } from '../shared/class-names.ts';
import { Link, type LinkComponent } from '../shared/link.tsx';

export interface Column<T> {
  key: string;
  header: ReactNode;
  cell(row: T): ReactNode;
  align?: 'start' | 'end';
  /** A CSS length: "8rem", "40%". */
  width?: string;
  /** Hidden on screens narrower than this. */
  hideBelow?: 'sm' | 'md' | 'lg';
  /** Rows that show it on any screen, such as the one that is being edited. */
  keepIn?(row: T): boolean;
  /** Makes the header sort: the current order, and the handler of a press. */
  sort?: { direction: 'asc' | 'desc' | null; onSort(): void };
  /** Does not wrap. */
  nowrap?: boolean;
}

export interface TableProps<T> {
  /** What the rows are, for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  /** Undefined while they are loading. */
  rows: readonly T[] | undefined;
  rowKey(row: T): string | number;
  /** Opens a row next to the list, by a press or with Enter. */
  onRowOpen?(row: T): void;
  /** The link of a row. The first cell becomes the link. */
  rowHref?(row: T): string;
  /** The key of the open row. */
  current?: string | number | null;
  as?: LinkComponent;
  empty: ReactNode;
  /** Below 640 px, each row is shown as a block of labelled lines instead of scrolling sideways. */
  stacked?: boolean;
  footer?: ReactNode;
  className?: string;
}

const SKELETON_ROWS = 6;
const hideClass = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden' };
const cellClass = 'px-3 py-2.5 align-middle first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5';

export function Table<T>(props: TableProps<T>) {
  const { label, columns, rows, empty, stacked = false, footer, className } = props;
  const none = rows?.length === 0;
  return (
    <div
      className={classNames('min-w-0 overflow-hidden rounded-panel border border-line bg-surface', className)}
    >
      {none ? (
        empty
      ) : (
        <div
          tabIndex={0}
          role="region"
          aria-label={label}
          className="cl-focus relative overflow-x-auto rounded-panel -outline-offset-2!"
        >
          <table
            aria-label={label}
            aria-busy={rows === undefined}
            className={classNames('w-full border-collapse text-left text-md', stacked && 'max-sm:block')}
          >
            <thead className={classNames('border-b border-line', stacked && 'max-sm:sr-only')}>
              <tr>
                {columns.map((column) => (
                  <Header key={column.key} column={column} />
                ))}
              </tr>
            </thead>
            <tbody className={classNames('divide-y divide-line', stacked && 'max-sm:block')}>
              {rows === undefined
                ? Array.from({ length: SKELETON_ROWS }, (_, index) => (
                    <tr key={index}>
                      {columns.map((column) => (
                        <td key={column.key} className={classNames(cellClass, hidden(column))}>
                          <Skeleton className="my-1 max-w-32" />
                        </td>
                      ))}
                    </tr>
                  ))
                : rows.map((row) => <Row key={props.rowKey(row)} row={row} table={props} />)}
            </tbody>
          </table>
          {rows === undefined && (
            <span role="status" className="sr-only">
              Loading
            </span>
          )}
        </div>
      )}
      {footer !== undefined && (
        <div className="border-t border-line px-4 py-2.5 text-md sm:px-5">{footer}</div>
      )}
    </div>
  );
}

function Header<T>({ column }: { column: Column<T> }) {
  const { header, align, width, sort } = column;
  const state = { asc: 'ascending', desc: 'descending', none: 'none' } as const;
  const Arrow = sort?.direction === 'asc' ? ArrowUp : sort?.direction === 'desc' ? ArrowDown : ChevronsUpDown;
  return (
    <th
      scope="col"
      {...(sort !== undefined && { 'aria-sort': state[sort.direction ?? 'none'] })}
      {...(width !== undefined && { style: { width } })}
      className={classNames(
        'px-3 py-2 text-sm font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5',
        align === 'end' && 'text-right',
        hidden(column),
      )}
    >
      {sort === undefined ? (
        header
      ) : (
        <button
          type="button"
          onClick={sort.onSort}
          className="cl-focus inline-flex min-h-6 items-center gap-1 rounded-sm hover:text-ink"
        >
          {header}
          <Arrow className="size-3.5" aria-hidden />
        </button>
      )}
    </th>
  );
}

function Row<T>({ row, table }: { row: T; table: TableProps<T> }) {
  const { columns, rowKey, onRowOpen, rowHref, current, stacked = false, as } = table;
  const href = rowHref?.(row);
  const opens = href !== undefined || onRowOpen !== undefined;
  return (
    <tr
      {...(rowKey(row) === current && { 'aria-current': true })}
      {...(onRowOpen !== undefined && {
        tabIndex: 0,
        onClick: (event: MouseEvent) => {
          if (!isControl(event)) onRowOpen(row);
        },
        onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) => moveOrOpen(event, () => onRowOpen(row)),
      })}
      className={classNames(
        opens && 'relative transition-colors hover:bg-raised',
        onRowOpen !== undefined && 'cl-focus cursor-pointer -outline-offset-2!',
        'aria-[current=true]:bg-accent-soft',
        stacked && 'max-sm:block max-sm:px-4 max-sm:py-3',
      )}
    >
      {columns.map((column, index) => (
        <td
          key={column.key}
          className={classNames(
            cellClass,
            column.align === 'end' && 'text-right tabular-nums',
            column.nowrap && 'whitespace-nowrap',
            !column.keepIn?.(row) && hidden(column),
            stacked &&
              'max-sm:flex max-sm:items-baseline max-sm:justify-between max-sm:gap-4 max-sm:px-0! max-sm:py-0.5 max-sm:text-right max-sm:first:font-medium',
          )}
        >
          {stacked && (
            <span className="hidden shrink-0 text-left font-normal text-muted max-sm:inline">
              {column.header}
            </span>
          )}
          {index === 0 && href !== undefined ? (
            // The link covers its row, so that the whole row can be pressed and opened in a new tab.
            <Link as={as} href={href} className="cl-row-link min-w-0 rounded-sm">
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

const hidden = <T,>({ hideBelow }: Column<T>): string | false =>
  hideBelow !== undefined && hideClass[hideBelow];

/** A press on a button or link within a row does not open the row. */
function isControl({ target, currentTarget }: MouseEvent): boolean {
  const control = (target as Element).closest('a,button,input,select,label,[role=menuitem]');
  return control !== null && currentTarget.contains(control);
}

/** Enter opens the row; the arrow keys move to the row above or below. */
function moveOrOpen(event: KeyboardEvent<HTMLTableRowElement>, open: () => void): void {
  const { key, target, currentTarget } = event;
  if (target !== currentTarget) return;
  const next =
    key === 'ArrowDown'
      ? currentTarget.nextElementSibling
      : key === 'ArrowUp'
        ? currentTarget.previousElementSibling
        : null;
  if (key === 'Enter' || key === ' ') open();
  else if (next instanceof HTMLElement) next.focus();
  else return;
  event.preventDefault();
}
