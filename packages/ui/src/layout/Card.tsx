import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

export interface CardProps {
  children: ReactNode;
  /** Without padding, for a table that fills it. */
  flush?: boolean;
  className?: string;
}

/** A surface with a hairline around it. */
export function Card({ children, flush = false, className }: CardProps) {
  return (
    <div
      className={classNames(
        'min-w-0 rounded-panel border border-line bg-surface text-md text-ink',
        flush ? 'overflow-hidden' : 'p-4 sm:p-5',
        className,
      )}
    >
      {children}
    </div>
  );
}
