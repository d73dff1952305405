import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

export interface EmptyStateProps {
  icon?: ReactNode;
  title: ReactNode;
  /** What will be listed here, and how to create the first one. */
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
}

export function EmptyState({ icon, title, children, action, className }: EmptyStateProps) {
  return (
    <div
      className={classNames('mx-auto flex max-w-md flex-col items-center px-6 py-12 text-center', className)}
    >
      {icon !== undefined && (
        <span className="mb-4 grid size-12 place-items-center rounded-full bg-accent-soft text-accent [&_svg]:size-6">
          {icon}
        </span>
      )}
      <p className="text-base font-semibold text-balance text-ink">{title}</p>
      {children !== undefined && <div className="mt-1 text-md text-pretty text-muted">{children}</div>}
      {action !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
