'use client';

import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '../actions/CopyButton.tsx';
import { classNames } from '../shared/class-names.ts';

export interface JsonViewProps {
  value: unknown;
  /** Shown above. */
  label?: string;
  className?: string;
}

/** How many levels are expanded initially. */
const OPEN_LEVELS = 2;

/** A JSON value whose levels can be collapsed. */
export function JsonView({ value, label = 'JSON', className }: JsonViewProps) {
  return (
    <div
      className={classNames(
        'min-w-0 overflow-hidden rounded-control border border-line bg-raised',
        className,
      )}
    >
      <div className="flex items-center justify-between gap-2 border-b border-line py-0.5 pr-1 pl-3.5">
        <span className="text-sm text-muted">{label}</span>
        <CopyButton text={JSON.stringify(value, null, 2) ?? 'undefined'} />
      </div>
      <div
        tabIndex={0}
        role="region"
        aria-label={label}
        className="cl-focus max-h-128 overflow-auto rounded-b-control px-3.5 py-3 font-mono text-sm text-ink -outline-offset-2!"
      >
        <Node value={value} level={0} />
      </div>
    </div>
  );
}

function Node({ name, value, level }: { name?: string; value: unknown; level: number }) {
  const key = name === undefined ? null : <span className="text-muted">{name}: </span>;
  if (value === null || typeof value !== 'object') {
    return (
      <div className="pl-4.5 break-all">
        {key}
        {scalar(value)}
      </div>
    );
  }
  const entries = Object.entries(value);
  const list = Array.isArray(value);
  const [open, close] = list ? '[]' : '{}';
  if (entries.length === 0) {
    return (
      <div className="pl-4.5">
        {key}
        {`${open}${close}`}
      </div>
    );
  }
  return (
    <details open={level < OPEN_LEVELS} className="group/node">
      <summary className="cl-focus flex min-h-6 cursor-pointer list-none items-start rounded-sm hover:bg-pressed [&::-webkit-details-marker]:hidden">
        <ChevronRight
          className="mt-0.5 mr-0.5 size-4 shrink-0 text-muted transition-transform [[open]>summary>&]:rotate-90"
          aria-hidden
        />
        <span>
          {key}
          {open}
          <span className="text-muted [[open]>summary>span>&]:hidden">
            {` ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'} ${close}`}
          </span>
        </span>
      </summary>
      <div className="ml-2 border-l border-line pl-2">
        {entries.map(([entry, inner]) => (
          <Node key={entry} name={entry} value={inner} level={level + 1} />
        ))}
      </div>
      <div className="pl-4.5">{close}</div>
    </details>
  );
}

function scalar(value: unknown): ReactNode {
  if (typeof value === 'string') return <span className="text-positive">{JSON.stringify(value)}</span>;
  if (typeof value === 'number') return <span className="text-accent tabular-nums">{value}</span>;
  if (typeof value === 'boolean') return <span className="text-warning">{String(value)}</span>;
  return <span className="text-muted">{String(value)}</span>;
}
