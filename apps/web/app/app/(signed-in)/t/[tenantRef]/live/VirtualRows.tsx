'use client';

import { classNames } from '@clarion/ui';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';

/** Rows rendered above and below the visible ones, so that scrolling shows no gap. */
const OVERSCAN = 6;

export interface VirtualRowsProps {
  label: string;
  ids: readonly number[];
  rowHeight: number;
  /** The column names; stays at the top. */
  header?: ReactNode;
  /** Must be memoised; called for visible rows only. */
  row(id: number, place: RowPlace): ReactNode;
  empty: ReactNode;
  className?: string;
}

export interface RowPlace {
  /** From 1; a header is row 1. */
  rowIndex: number;
  top: number;
  height: number;
}

/** A list of rows of equal height that renders only the visible ones. */
export function VirtualRows({ label, ids, rowHeight, header, row, empty, className }: VirtualRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [[from, to], setRange] = useState<readonly [number, number]>([0, 0]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - OVERSCAN);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + OVERSCAN;
      setRange((before) => (before[0] === first && before[1] === last ? before : [first, last]));
    };
    look();
    const size = new ResizeObserver(look);
    size.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      size.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [rowHeight]);

  const headed = header === undefined ? 0 : 1;
  return (
    <div
      ref={box}
      tabIndex={0}
      role="table"
      aria-label={label}
      aria-rowcount={ids.length + headed}
      className={classNames(
        'cl-focus relative min-h-0 overflow-y-auto overscroll-contain -outline-offset-2!',
        className,
      )}
    >
      {header !== undefined && (
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
          {header}
        </div>
      )}
      {ids.length === 0 ? (
        <div role="rowgroup">
          <div role="row">
            <div role="cell">{empty}</div>
          </div>
        </div>
      ) : (
        <div role="rowgroup" className="relative" style={{ height: ids.length * rowHeight }}>
          {ids.slice(from, to).map((id, index) =>
            row(id, {
              rowIndex: from + index + 1 + headed,
              top: (from + index) * rowHeight,
              height: rowHeight,
            }),
          )}
        </div>
      )}
    </div>
  );
}
