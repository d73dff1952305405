'use client';

import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useId, useState, type ReactNode } from 'react';
import { Button } from '../actions/Button.tsx';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import { backdropClass, controlClass } from '../shared/surfaces.ts';

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  /** The question: "Delete the queue Sales?" */
  title: ReactNode;
  /** The consequences, and whether they can be undone. */
  children: ReactNode;
  /** The verb: "Delete queue". */
  confirmLabel: string;
  cancelLabel?: string;
  tone?: 'accent' | 'negative';
  /** The text that the user must type to confirm. */
  typeToConfirm?: string;
  busy?: boolean;
  /** The dialog is busy while the promise is pending. The caller closes it. */
  onConfirm(): Promise<void> | void;
  className?: string;
}

export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  children,
  confirmLabel,
  cancelLabel = 'Cancel',
  tone = 'accent',
  typeToConfirm,
  busy = false,
  onConfirm,
  className,
}: ConfirmDialogProps) {
  const portal = usePortal();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState(false);
  const working = busy || pending;
  const ready = typeToConfirm === undefined || typed.trim() === typeToConfirm;
  const confirm = async () => {
    if (!ready || working) return;
    setPending(true);
    try {
      await onConfirm();
    } finally {
      setPending(false);
    }
  };
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!working) onOpenChange(next);
      }}
      onOpenChangeComplete={(shown) => {
        if (!shown) setTyped('');
      }}
    >
      <AlertDialog.Portal {...portal}>
        <AlertDialog.Backdrop className={backdropClass} />
        <AlertDialog.Popup
          className={classNames(
            'cl-pop fixed inset-x-0 bottom-0 z-50 flex max-h-[92dvh] flex-col gap-4 overflow-y-auto rounded-t-panel border border-line bg-surface p-5 text-md text-ink shadow-card outline-hidden sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-[calc(100%-3rem)] sm:max-w-md sm:-translate-1/2 sm:rounded-panel sm:p-6',
            className,
          )}
        >
          <div className="flex flex-col gap-1.5">
            <AlertDialog.Title className="text-lg font-semibold text-balance [overflow-wrap:anywhere]">
              {title}
            </AlertDialog.Title>
            <AlertDialog.Description
              render={<div />}
              className="text-pretty [overflow-wrap:anywhere] text-muted"
            >
              {children}
            </AlertDialog.Description>
          </div>
          <form
            className="flex flex-col gap-5"
            onSubmit={(event) => {
              event.preventDefault();
              event.stopPropagation();
              void confirm();
            }}
          >
            {typeToConfirm !== undefined && (
              <div className="flex flex-col gap-1.5">
                <label htmlFor={id}>
                  Type{' '}
                  <code className="rounded-sm bg-raised px-1 font-mono [overflow-wrap:anywhere]">
                    {typeToConfirm}
                  </code>{' '}
                  to confirm
                </label>
                <input
                  id={id}
                  value={typed}
                  onChange={({ target }) => setTyped(target.value)}
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  className={classNames(controlClass, 'font-mono')}
                />
              </div>
            )}
            <div className="flex flex-wrap justify-end gap-2 max-sm:flex-col-reverse">
              <AlertDialog.Close render={<Button />} disabled={working}>
                {cancelLabel}
              </AlertDialog.Close>
              <Button type="submit" tone={tone} busy={working} disabled={!ready}>
                {confirmLabel}
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
