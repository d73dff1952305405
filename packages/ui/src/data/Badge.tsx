import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { fillTone, softTone, type Tone } from '../shared/tones.ts';

export interface BadgeProps {
  tone?: Tone;
  /** A dot before the text, for a state that can change. */
  dot?: boolean;
  /** Before the text. */
  icon?: ReactNode;
  children: ReactNode;
  className?: string;
}

export function Badge({ tone = 'neutral', dot = false, icon, children, className }: BadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex max-w-full items-center gap-1.5 rounded-md px-2 py-0.5 text-xs font-medium whitespace-nowrap tabular-nums',
        softTone[tone],
        className,
      )}
    >
      {dot && <span aria-hidden className={classNames('size-1.5 shrink-0 rounded-full', fillTone[tone])} />}
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
