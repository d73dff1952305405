import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { softTone, type Tone } from '../shared/tones.ts';

export interface NoticeProps {
  tone?: Tone;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
}

const icons = {
  neutral: Info,
  accent: Info,
  positive: CircleCheck,
  negative: CircleAlert,
  warning: TriangleAlert,
};

/** A message about this part of the page, with its actions. Screen readers announce a negative one immediately. */
export function Notice({ tone = 'neutral', title, children, action, className }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div
      role={tone === 'negative' ? 'alert' : 'status'}
      className={classNames(
        'flex gap-3 rounded-panel px-4 py-3 text-md',
        tone === 'neutral' ? 'border border-line bg-surface text-ink' : softTone[tone],
        className,
      )}
    >
      <Icon className="mt-0.5 size-4.5 shrink-0" aria-hidden />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
          {title !== undefined && <p className="font-semibold">{title}</p>}
          {children !== undefined && <div className="text-ink">{children}</div>}
        </div>
        {action}
      </div>
    </div>
  );
}
