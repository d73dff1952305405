'use client';

import { Field as Base } from '@base-ui/react/field';
import { Fieldset } from '@base-ui/react/fieldset';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

export interface FieldProps {
  /** Its key in the form's values and errors. */
  name?: string;
  label: ReactNode;
  /** Explains what to enter and why; shown below the control. */
  hint?: ReactNode;
  /** Shows "Optional" next to the label. */
  optional?: boolean;
  /** The error, if there is no surrounding `Form`. */
  error?: string;
  disabled?: boolean;
  /** Hides the label visually; screen readers still announce it. */
  hideLabel?: boolean;
  className?: string;
}

/** A label and one Base UI control, with the hint and the error below. */
export function Field({
  name,
  label,
  hint,
  optional = false,
  error,
  disabled = false,
  hideLabel = false,
  className,
  children,
}: FieldProps & { children: ReactNode }) {
  return (
    <Base.Root
      {...(name !== undefined && { name })}
      {...(error !== undefined && { invalid: true })}
      disabled={disabled}
      className={classNames('flex min-w-0 flex-col gap-1.5', className)}
    >
      <Base.Label
        className={hideLabel ? 'sr-only' : 'flex items-baseline gap-2 text-md font-medium text-ink'}
      >
        {label}
        {optional && <span className="text-sm font-normal text-muted">Optional</span>}
      </Base.Label>
      {children}
      <FieldMessages hint={hint} error={error} />
    </Base.Root>
  );
}

/** The lines below a control. */
export function FieldMessages({ hint, error }: { hint?: ReactNode; error?: string | undefined }) {
  return (
    <>
      {hint !== undefined && (
        <Base.Description className="text-sm text-pretty text-muted">{hint}</Base.Description>
      )}
      {error === undefined ? (
        <Base.Error className="text-sm font-medium text-negative-text" />
      ) : (
        <Base.Error match className="text-sm font-medium text-negative-text">
          {error}
        </Base.Error>
      )}
    </>
  );
}

export interface FieldGroupProps {
  title: ReactNode;
  hint?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A group of fields under one label. */
export function FieldGroup({ title, hint, children, className }: FieldGroupProps) {
  return (
    <Fieldset.Root className={classNames('flex min-w-0 flex-col gap-4 border-t border-line pt-5', className)}>
      <div>
        <Fieldset.Legend className="text-base font-semibold text-ink">{title}</Fieldset.Legend>
        {hint !== undefined && <p className="mt-0.5 text-md text-muted">{hint}</p>}
      </div>
      {children}
    </Fieldset.Root>
  );
}
