'use client';

import { Popover } from '@base-ui/react/popover';
import { Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import { popupClass } from '../shared/surfaces.ts';

export interface DefinitionProps {
  term: string;
  /** What the term means and how the figure is calculated. */
  children: ReactNode;
  /** Only the icon, if the term is already shown next to it. */
  hideTerm?: boolean;
  className?: string;
}

export function Definition({ term, children, hideTerm = false, className }: DefinitionProps) {
  const portal = usePortal();
  return (
    <span className={classNames('inline-flex items-center gap-0.5', className)}>
      {!hideTerm && term}
      <Popover.Root>
        <Popover.Trigger
          openOnHover
          aria-label={`About ${term}`}
          className="cl-focus relative -my-1 grid size-6 shrink-0 place-items-center rounded-full text-muted hover:text-ink"
        >
          <Info className="size-3.5" aria-hidden />
        </Popover.Trigger>
        <Popover.Portal {...portal}>
          <Popover.Positioner className="z-70 outline-hidden" sideOffset={6}>
            <Popover.Popup className={classNames(popupClass, 'max-w-72 px-3.5 py-3 text-md')}>
              <Popover.Title className="font-semibold">{term}</Popover.Title>
              <Popover.Description render={<div />} className="mt-0.5 text-muted">
                {children}
              </Popover.Description>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </span>
  );
}
