'use client';

import { NumberField as Base } from '@base-ui/react/number-field';
import { Minus, Plus } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';
import { controlClass } from '../shared/surfaces.ts';
import { Field, type FieldProps } from './Field.tsx';

export interface NumberFieldProps extends FieldProps {
  name: string;
  min?: number;
  max?: number;
  step?: number;
  /** The unit, shown after the number: seconds, calls. */
  unit?: string;
  value?: number | null;
  defaultValue?: number;
  onValueChange?(value: number | null): void;
  required?: boolean;
  format?: Intl.NumberFormatOptions;
}

const stepClass =
  'grid w-9 shrink-0 place-items-center border border-line-strong bg-surface text-muted in-data-invalid:border-negative hover:bg-raised disabled:opacity-50 pointer-coarse:w-11';

export function NumberField({
  min,
  max,
  step,
  unit,
  value,
  defaultValue,
  onValueChange,
  required = false,
  format,
  ...field
}: NumberFieldProps) {
  return (
    <Field {...field}>
      <Base.Root
        required={required}
        {...(min !== undefined && { min })}
        {...(max !== undefined && { max })}
        {...(step !== undefined && { step })}
        {...(value !== undefined && { value })}
        {...(defaultValue !== undefined && { defaultValue })}
        {...(onValueChange !== undefined && { onValueChange: (next: number | null) => onValueChange(next) })}
        {...(format !== undefined && { format })}
      >
        <div className="flex items-center gap-2.5">
          <Base.Group className="flex w-40">
            <Base.Decrement
              aria-label="Decrease"
              className={classNames(stepClass, 'rounded-l-control border-r-0')}
            >
              <Minus className="size-4" aria-hidden />
            </Base.Decrement>
            <Base.Input
              className={classNames(
                controlClass,
                'rounded-none px-2 text-center tabular-nums focus-visible:z-1',
              )}
            />
            <Base.Increment
              aria-label="Increase"
              className={classNames(stepClass, 'rounded-r-control border-l-0')}
            >
              <Plus className="size-4" aria-hidden />
            </Base.Increment>
          </Base.Group>
          {unit !== undefined && <span className="text-md text-muted">{unit}</span>}
        </div>
      </Base.Root>
    </Field>
  );
}
