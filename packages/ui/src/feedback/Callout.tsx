import { Lightbulb } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

export interface CalloutProps {
  title?: ReactNode;
  children: ReactNode;
  icon?: ReactNode;
  className?: string;
}

/** A permanent tip or explanation. Use `Notice` for something that just happened. */
export function Callout({ title, children, icon, className }: CalloutProps) {
  return (
    <div className={classNames('flex gap-3 border-l-2 border-accent py-1 pl-4 text-md', className)}>
      <span className="mt-0.5 shrink-0 text-accent [&_svg]:size-4.5">
        {icon ?? <Lightbulb aria-hidden />}
      </span>
      <div className="min-w-0">
        {title !== undefined && <p className="font-semibold text-ink">{title}</p>}
        <div className="text-muted">{children}</div>
      </div>
    </div>
  );
}
