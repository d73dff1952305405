'use client';

import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../actions/Button.tsx';
import { usePortal } from '../shared/portal.tsx';
import { backdropClass } from '../shared/surfaces.ts';

export interface NavigationDrawerProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  brand: ReactNode;
  children: ReactNode;
}

/** The navigation on small screens: a drawer from the left. */
export function NavigationDrawer({ open, onOpenChange, brand, children }: NavigationDrawerProps) {
  const portal = usePortal();
  return (
    <Dialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Dialog.Portal {...portal}>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup
          aria-label="Menu"
          className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] flex-col border-r border-line bg-surface text-ink shadow-card outline-hidden transition-[opacity,translate] duration-200 data-ending-style:-translate-x-6 data-ending-style:opacity-0 data-starting-style:-translate-x-6 data-starting-style:opacity-0 motion-reduce:transition-none"
        >
          <div className="flex min-h-14 items-center justify-between pr-2 pl-5">
            {brand}
            <Dialog.Close render={<Button tone="plain" className="w-11 px-0!" />} aria-label="Close">
              <X className="size-5" aria-hidden />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
