import type { ReactNode } from 'react';
import { CopyButton } from '../actions/CopyButton.tsx';
import { classNames } from '../shared/class-names.ts';
import { None } from '../data/None.tsx';

export interface DescriptionItem {
  term: ReactNode;
  /** Null or undefined is shown as a dash. */
  value: ReactNode;
  /** Adds a button that copies this text. */
  copy?: string;
}

export interface DescriptionListProps {
  items: readonly DescriptionItem[];
  className?: string;
}

export function DescriptionList({ items, className }: DescriptionListProps) {
  return (
    <dl className={classNames('@container flex min-w-0 flex-col divide-y divide-line text-md', className)}>
      {items.map(({ term, value, copy }, index) => (
        <div key={index} className="grid min-w-0 gap-x-4 py-2.5 @md:grid-cols-[11rem_minmax(0,1fr)]">
          <dt className="text-muted">{term}</dt>
          <dd className="flex min-w-0 items-center gap-1 text-ink">
            <span className="min-w-0 [overflow-wrap:anywhere]">{value ?? <None />}</span>
            {copy !== undefined && <CopyButton text={copy} className="-my-1.5" />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
