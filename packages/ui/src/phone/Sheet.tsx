import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { focusedNear } from './focus.ts';

interface SheetProps {
  title: string;
  onClose(): void;
  children: ReactNode;
}

/** A sheet over the call pane. Escape closes it, and the focus returns to where it was. */
export function Sheet({ title, onClose, children }: SheetProps) {
  const sheet = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = sheet.current;
    if (!element) return;
    const before = focusedNear(element);
    const first = element.querySelector<HTMLElement>('[data-autofocus]') ?? element;
    first.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);

  return (
    <div
      ref={sheet}
      role="dialog"
      aria-label={title}
      tabIndex={-1}
      className="cl-rise absolute inset-0 z-10 flex flex-col bg-surface outline-hidden"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="flex items-center gap-1 px-2 pt-2 pb-1">
        <button
          type="button"
          aria-label="Back"
          className="cl-focus grid size-11 shrink-0 place-items-center rounded-control text-muted transition-colors hover:bg-raised hover:text-ink"
          onClick={onClose}
        >
          <ArrowLeft className="size-5" aria-hidden />
        </button>
        <h2 className="truncate text-lg font-semibold text-ink">{title}</h2>
      </div>
      <div className="flex min-h-0 grow basis-0 flex-col gap-5 overflow-y-auto px-5 pt-2 pb-5">
        {children}
      </div>
    </div>
  );
}
