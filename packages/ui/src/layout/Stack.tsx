import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

type Gap = 'xs' | 'sm' | 'md' | 'lg';

const gaps: Record<Gap, string> = { xs: 'gap-1', sm: 'gap-2', md: 'gap-4', lg: 'gap-8' };

export interface StackProps {
  children: ReactNode;
  gap?: Gap;
  /** Lays out children in a row that wraps. */
  row?: boolean;
  className?: string;
}

/** Lays out children in a column. */
export function Stack({ children, gap = 'md', row = false, className }: StackProps) {
  return (
    <div
      className={classNames(
        'flex min-w-0',
        row ? 'flex-row flex-wrap items-center' : 'flex-col',
        gaps[gap],
        className,
      )}
    >
      {children}
    </div>
  );
}

export interface GridProps {
  children: ReactNode;
  /** The minimum width of a column in rem. A row has as many columns as fit. */
  minWidth?: number;
  gap?: Gap;
  className?: string;
}

export function Grid({ children, minWidth = 18, gap = 'md', className }: GridProps) {
  return (
    <div
      className={classNames('grid min-w-0', gaps[gap], className)}
      style={{ gridTemplateColumns: `repeat(auto-fill, minmax(min(100%, ${minWidth}rem), 1fr))` }}
    >
      {children}
    </div>
  );
}

export interface SplitProps {
  /** The wider column. */
  children: ReactNode;
  aside: ReactNode;
  /** Which column comes first if they are stacked. */
  asideFirst?: boolean;
  className?: string;
}

/** Two columns from 1024 px on, stacked below that. */
export function Split({ children, aside, asideFirst = false, className }: SplitProps) {
  return (
    <div className={classNames('grid min-w-0 gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]', className)}>
      <div className="flex min-w-0 flex-col gap-8">{children}</div>
      <div className={classNames('flex min-w-0 flex-col gap-8', asideFirst && 'max-lg:order-first')}>
        {aside}
      </div>
    </div>
  );
}
