'use client';

import { classNames } from '@clarion/ui';
import { useId, type ReactNode, type Ref } from 'react';
import { useTools } from './live-context.ts';

/** A panel of the board: a heading with count and tools, and a list that fills the rest. */
export function Panel({
  title,
  count,
  tools,
  children,
  className,
  ref,
}: {
  title: string;
  count: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
  className?: string;
  ref?: Ref<HTMLDivElement>;
}) {
  const id = useId();
  const { live } = useTools();
  return (
    <section
      ref={ref}
      aria-labelledby={id}
      className={classNames(
        'flex min-h-0 min-w-0 flex-col overflow-hidden rounded-panel border border-line bg-surface',
        className,
      )}
    >
      <div className="flex min-h-14 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <h2 id={id} className="flex items-baseline gap-2 text-base font-semibold text-ink">
          {title}{' '}
          {live.state !== 'connecting' && (
            <span className="text-md font-normal text-muted tabular-nums">{count}</span>
          )}
        </h2>
        {tools !== undefined && <div className="flex flex-wrap items-center gap-2">{tools}</div>}
      </div>
      {children}
    </section>
  );
}
