import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { softTone, type Tone } from '../shared/tones.ts';
import { DateTime } from './Time.tsx';

export interface TimelineItem {
  /** An ISO time, or text such as "0:04". */
  at: string | Date;
  title: ReactNode;
  detail?: ReactNode;
  tone?: Tone;
  icon?: ReactNode;
}

/** Events, oldest first. */
export function Timeline({ items, className }: { items: readonly TimelineItem[]; className?: string }) {
  return (
    <ol className={classNames('flex min-w-0 flex-col text-md', className)}>
      {items.map(({ at, title, detail, tone = 'neutral', icon }, index) => (
        <li key={index} className="group relative flex min-w-0 gap-3 pb-5 last:pb-0">
          <span aria-hidden className="absolute top-7 bottom-0 left-3.25 w-px bg-line group-last:hidden" />
          <span
            className={classNames(
              'grid size-6.5 shrink-0 place-items-center rounded-full [&_svg]:size-3.5',
              softTone[tone],
            )}
          >
            {icon ?? <span aria-hidden className="size-1.5 rounded-full bg-current" />}
          </span>
          <div className="min-w-0 flex-1 pt-0.5">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="min-w-0 font-medium [overflow-wrap:anywhere] text-ink">{title}</span>
              <span className="text-sm text-muted tabular-nums">
                {isTime(at) ? <DateTime at={at} seconds /> : String(at)}
              </span>
            </div>
            {detail !== undefined && (
              <div className="mt-0.5 [overflow-wrap:anywhere] text-muted">{detail}</div>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

const isTime = (at: string | Date): boolean => at instanceof Date || /^\d{4}-\d{2}-\d{2}T/.test(at);
