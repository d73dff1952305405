'use client';

import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import { usePortal } from '../shared/portal.tsx';

export interface TooltipProps {
  /** A short text. It must never be the only place for important information. */
  text: ReactNode;
  /** One focusable element. */
  children: ReactElement;
  side?: 'top' | 'right' | 'bottom' | 'left';
}

export function TooltipPopup({ text, children, side = 'top' }: TooltipProps) {
  const portal = usePortal();
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal {...portal}>
        <Base.Positioner side={side} sideOffset={6} className="z-70">
          <Base.Popup className="cl-pop max-w-72 rounded-control bg-ink px-2.5 py-1.5 text-sm text-surface">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
