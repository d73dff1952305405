'use client';

import { Checkbox } from '@base-ui/react/checkbox';
import { Field as Base } from '@base-ui/react/field';
import { Check } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';
import { FieldMessages } from './Field.tsx';
import { onOffControl, onOffField, type OnOffProps } from './on-off.ts';

export interface CheckboxFieldProps extends OnOffProps {
  required?: boolean;
  /** The form value when checked; "on" by default. */
  value?: string;
}

/** A checkbox. It takes effect when the form is submitted. */
export function CheckboxField({ required = false, value, ...props }: CheckboxFieldProps) {
  const { label, hint, className } = props;
  return (
    <Base.Root {...onOffField(props)} className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <Base.Label className="flex min-h-6 items-start gap-2.5 text-md text-ink data-disabled:opacity-60 pointer-coarse:min-h-11 pointer-coarse:py-2">
        <Checkbox.Root
          required={required}
          {...onOffControl(props)}
          {...(value !== undefined && { value })}
          className="cl-focus mt-0.5 grid size-4.5 shrink-0 place-items-center rounded-[0.3rem] border border-line-strong bg-surface data-checked:border-accent data-checked:bg-accent data-invalid:border-negative"
        >
          <Checkbox.Indicator className="text-on-accent">
            <Check className="size-3.5" strokeWidth={3} aria-hidden />
          </Checkbox.Indicator>
        </Checkbox.Root>
        <span className="min-w-0">{label}</span>
      </Base.Label>
      <div className="flex flex-col gap-1 pl-7 empty:hidden">
        <FieldMessages hint={hint} />
      </div>
    </Base.Root>
  );
}
