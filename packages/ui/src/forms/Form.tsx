'use client';

import { Form as Base } from '@base-ui/react/form';
import { useMemo, useRef, type ReactNode } from 'react';
import { Notice } from '../feedback/Notice.tsx';
import { classNames } from '../shared/class-names.ts';

export interface FormProps {
  /** The server's errors by field name. `''` is for an error that belongs to no field; it is shown above the fields. */
  errors?: Record<string, string>;
  onSubmit(values: FormData): void | Promise<void>;
  /** While true, the form cannot be submitted again. */
  busy?: boolean;
  children: ReactNode;
  className?: string;
  /** For a button outside the form, as in the footer of a dialog: `<Button type="submit" form={id}>`. */
  id?: string;
}

const NONE: Record<string, string> = {};

/** A form with its errors. When the response has errors, the first invalid field is focused. */
export function Form({ errors = NONE, onSubmit, busy = false, children, className, id }: FormProps) {
  const sending = useRef(false);
  // Keep the same object while the errors are the same: a new object would mark corrected fields as invalid again.
  const [general, byField] = useMemo(() => {
    const { '': first, ...others } = errors;
    return [first, others] as const;
  }, [errors]);
  return (
    <Base
      // A browser can submit the form before hydration. A GET would then put a password into the URL.
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

/** The buttons below a form; the submit button comes first. */
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
