'use client';

import { Form as Base } from '@base-ui/react/form';
import { useMemo, useRef, type ReactNode } from 'react';
import { Notice } from '../feedback/Notice.tsx';
import { classNames } from '../shared/class-names.ts';

export interface FormProps {
  /** By a field's name, as the server said it; `''` belongs to no field and stands above them all. */
  errors?: Record<string, string>;
  onSubmit(values: FormData): void | Promise<void>;
  /** While true nothing is sent a second time. */
  busy?: boolean;
  children: ReactNode;
  className?: string;
  /** For a button outside, as in a dialog's footer: `<Button type="submit" form={id}>`. */
  id?: string;
}

const NONE: Record<string, string> = {};

/** A form with its errors. When the response has errors, the first invalid field is focused. */
export function Form({ errors = NONE, onSubmit, busy = false, children, className, id }: FormProps) {
  const sending = useRef(false);
  // The same object while the errors are the same: with a new one a field that has been corrected is in error again.
  const [general, byField] = useMemo(() => {
    const { '': first, ...others } = errors;
    return [first, others] as const;
  }, [errors]);
  return (
    <Base
      // Sent before the page is alive, as a browser can, it must not write a password into the address.
      method="post"
      errors={byField}
      aria-busy={busy}
      {...(id !== undefined && { id })}
      className={classNames('flex flex-col gap-5', className)}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (busy || sending.current) return;
        sending.current = true;
        void Promise.resolve(onSubmit(new FormData(event.currentTarget))).finally(() => {
          sending.current = false;
        });
      }}
    >
      {general !== undefined && <Notice tone="negative">{general}</Notice>}
      {children}
    </Base>
  );
}

export interface FormActionsProps {
  children: ReactNode;
  align?: 'start' | 'end';
  className?: string;
}

/** The buttons below a form; the one that sends comes first. */
export function FormActions({ children, align = 'start', className }: FormActionsProps) {
  return (
    <div
      className={classNames(
        'flex flex-wrap items-center gap-2 pt-1',
        align === 'end' && 'justify-end',
        className,
      )}
    >
      {children}
    </div>
  );
}
