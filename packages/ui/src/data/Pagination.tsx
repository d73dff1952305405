'use client';

import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { classNames } from '../shared/class-names.ts';

export interface PaginationProps {
  /** Starts at 1. */
  page: number;
  pageCount: number;
  onPage(page: number): void;
  className?: string;
}

export function Pagination({ page, pageCount, onPage, className }: PaginationProps) {
  return (
    <nav aria-label="Pages" className={classNames('flex items-center justify-between gap-3', className)}>
      <p className="text-md text-muted tabular-nums" aria-live="polite">
        Page {page} of {Math.max(1, pageCount)}
      </p>
      <div className="flex gap-2">
        <Button
          size="sm"
          icon={<ChevronLeft className="size-4" aria-hidden />}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        >
          Previous
        </Button>
        <Button size="sm" disabled={page >= pageCount} onClick={() => onPage(page + 1)}>
          Next
          <ChevronRight className="size-4" aria-hidden />
        </Button>
      </div>
    </nav>
  );
}

export interface LoadMoreProps {
  onMore(): void;
  busy?: boolean;
  /** This is the last page. */
  done?: boolean;
  className?: string;
}

export function LoadMore({ onMore, busy = false, done = false, className }: LoadMoreProps) {
  return done ? (
    <p className={classNames('py-1 text-center text-md text-muted', className)}>End of list</p>
  ) : (
    <div className={classNames('flex justify-center', className)}>
      <Button size="sm" busy={busy} onClick={onMore}>
        Show more
      </Button>
    </div>
  );
}
