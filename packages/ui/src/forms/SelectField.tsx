'use client';

import { Select } from '@base-ui/react/select';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { controlClass } from '../shared/surfaces.ts';
import { type Choice, ChoicePopup } from './ChoiceSelect.tsx';
import { Field, type FieldProps } from './Field.tsx';

export interface SelectFieldProps extends FieldProps {
  choices: readonly Choice[];
  value?: string | null;
  defaultValue?: string;
  onValueChange?(value: string): void;
  placeholder?: string;
  required?: boolean;
  icon?: ReactNode;
}

/** Selects one of a few options. Use `ComboField`, which searches, for more than a dozen. */
export function SelectField({
  choices,
  value,
  defaultValue,
  onValueChange,
  placeholder = 'Choose',
  required = false,
  icon,
  ...field
}: SelectFieldProps) {
  return (
    <Field {...field}>
      <Select.Root
        items={choices}
        required={required}
        {...(value !== undefined && { value })}
        {...(defaultValue !== undefined && { defaultValue })}
        onValueChange={(chosen) => {
          if (typeof chosen === 'string') onValueChange?.(chosen);
        }}
      >
        <Select.Trigger
          className={classNames(controlClass, 'flex items-center gap-2 text-left hover:bg-raised')}
        >
          {icon !== undefined && <span className="shrink-0 text-muted [&_svg]:size-4">{icon}</span>}
          <Select.Value
            placeholder={placeholder}
            className="min-w-0 flex-1 truncate data-placeholder:text-muted"
          />
          <Select.Icon className="shrink-0 text-muted">
            <ChevronDown className="size-4" aria-hidden />
          </Select.Icon>
        </Select.Trigger>
        <ChoicePopup choices={choices} />
      </Select.Root>
    </Field>
  );
}
