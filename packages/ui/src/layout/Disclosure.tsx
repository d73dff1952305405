'use client';

import { ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

export interface DisclosureProps {
  title: ReactNode;
  /** What is inside, so that nobody has to open it to find out. */
  hint?: ReactNode;
  /** Next to the title, such as how many settings inside differ from their defaults. */
  mark?: ReactNode;
  /** Opens it when this becomes true, for example because a field inside is invalid. */
  openWhen?: boolean;
  children: ReactNode;
  className?: string;
}

/** Content that is folded until it is needed. Fields inside stay part of their form. */
export function Disclosure({ title, hint, mark, openWhen = false, children, className }: DisclosureProps) {
  const [open, setOpen] = useState(openWhen);
  const [wanted, setWanted] = useState(openWhen);
  if (openWhen !== wanted) {
    setWanted(openWhen);
    if (openWhen) setOpen(true);
  }
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className={classNames('group/fold min-w-0 border-t border-line', className)}
    >
      <summary className="cl-focus flex min-h-11 cursor-pointer list-none items-start gap-2 rounded-md py-3 hover:bg-raised [&::-webkit-details-marker]:hidden">
        <ChevronRight
          className="mt-1 size-4 shrink-0 text-muted transition-transform group-open/fold:rotate-90 motion-reduce:transition-none"
          aria-hidden
        />
        <span className="flex min-w-0 flex-1 flex-col">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-base font-semibold text-ink">
            {title}
            {mark}
          </span>
          {hint !== undefined && <span className="text-md text-pretty wrap-anywhere text-muted">{hint}</span>}
        </span>
      </summary>
      <div className="flex min-w-0 flex-col gap-5 pt-1 pb-5 sm:pl-6">{children}</div>
    </details>
  );
}
