'use client';

import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { Button } from '../actions/Button.tsx';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import { backdropClass } from '../shared/surfaces.ts';

export interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons at the bottom, always visible. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg';
  /** There is unsaved input, so a click outside does not close it. */
  keepOpen?: boolean;
  className?: string;
}

const dialogWidths = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-3xl' };
const drawerWidths = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-4xl' };

/** Centred on the page; on a phone, a sheet from the bottom. */
export function Dialog({ size = 'md', className, ...rest }: DialogProps) {
  return (
    <Sheet
      {...rest}
      className={classNames(
        'inset-x-0 bottom-0 max-h-[92dvh] rounded-t-panel data-ending-style:translate-y-4 data-starting-style:translate-y-4 sm:inset-auto sm:top-1/2 sm:left-1/2 sm:max-h-[85dvh] sm:w-[calc(100%-3rem)] sm:-translate-1/2 sm:rounded-panel sm:data-ending-style:translate-y-[-48%] sm:data-starting-style:translate-y-[-48%]',
        dialogWidths[size],
        className,
      )}
    />
  );
}

export type DrawerProps = DialogProps;

/** At the right edge, next to the content that it belongs to; on a phone, the full screen. */
export function Drawer({ size = 'md', className, ...rest }: DrawerProps) {
  return (
    <Sheet
      {...rest}
      className={classNames(
        'inset-y-0 right-0 w-full data-ending-style:translate-x-6 data-starting-style:translate-x-6',
        drawerWidths[size],
        className,
      )}
    />
  );
}

const FILLABLE = 'input:not([type=hidden]):not([aria-hidden=true]),textarea,[role=combobox]';

function Sheet({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  keepOpen = false,
  className,
}: Omit<DialogProps, 'size'>) {
  const portal = usePortal();
  const popup = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)} disablePointerDismissal={keepOpen}>
      <Base.Portal {...portal}>
        <Base.Backdrop className={backdropClass} />
        <Base.Popup
          ref={popup}
          // The first field receives the focus, or else the dialog itself, but not the close button.
          initialFocus={(way) =>
            (way === 'touch' ? null : body.current?.querySelector<HTMLElement>(FILLABLE)) ?? popup.current
          }
          className={classNames(
            'fixed z-50 flex flex-col border border-line bg-surface text-ink shadow-card outline-hidden transition-[opacity,translate] duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0 motion-reduce:transition-none',
            className,
          )}
        >
          <header className="flex items-start gap-4 px-5 pt-4 pb-3 sm:px-6">
            <div className="min-w-0 flex-1 pt-1">
              <Base.Title className="text-lg font-semibold text-balance [overflow-wrap:anywhere]">
                {title}
              </Base.Title>
              {description !== undefined && (
                <Base.Description className="mt-1 text-md text-pretty text-muted">
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close
              render={<Button tone="plain" className="-mr-2 w-9 px-0! pointer-coarse:w-11" />}
              aria-label="Close"
            >
              <X className="size-4.5" aria-hidden />
            </Base.Close>
          </header>
          <div
            ref={body}
            // Focusable, so that long text without a control can be scrolled with the keyboard.
            tabIndex={0}
            className="min-h-0 flex-1 overflow-y-auto overscroll-contain cl-focus px-5 pt-1 pb-5 text-md -outline-offset-2! sm:px-6"
          >
            {children}
          </div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5 pb-[max(0.875rem,env(safe-area-inset-bottom))] sm:px-6">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
