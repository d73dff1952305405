'use client';

import { Combobox } from '@base-ui/react/combobox';
import { X } from 'lucide-react';
import { useMemo } from 'react';
import { classNames } from '../shared/class-names.ts';
import { controlClass } from '../shared/surfaces.ts';
import type { Choice } from './ChoiceSelect.tsx';
import { ComboPopup, finder, keepOnEscape } from './ComboField.tsx';
import { Field, type FieldProps } from './Field.tsx';

export interface MultiSelectFieldProps extends FieldProps {
  choices: readonly Choice[];
  value?: readonly string[];
  defaultValue?: readonly string[];
  onValueChange?(values: string[]): void;
  placeholder?: string;
  /** Shown if there are no results. */
  emptyText?: string;
  /** Called with the typed text. If set, the choices are not filtered here. */
  onSearch?(text: string): void;
  busy?: boolean;
}

/** Selects several of many options, each shown as a chip. The form values contain the name once for each. */
export function MultiSelectField({
  choices,
  value,
  defaultValue,
  onValueChange,
  placeholder = 'Add',
  emptyText,
  onSearch,
  busy = false,
  ...field
}: MultiSelectFieldProps) {
  const find = useMemo(() => finder(choices), [choices]);
  const all = (values: readonly string[]) => values.flatMap((one) => find(one) ?? []);
  return (
    <Field {...field}>
      <Combobox.Root
        multiple
        items={choices}
        autoHighlight
        {...(value !== undefined && { value: all(value) })}
        {...(defaultValue !== undefined && { defaultValue: all(defaultValue) })}
        isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
        onValueChange={(chosen: Choice[]) => onValueChange?.(chosen.map((one) => one.value))}
        {...(onSearch !== undefined && {
          filter: null,
          onInputValueChange: (text: string) => onSearch(text),
        })}
      >
        <Combobox.InputGroup
          className={classNames(
            controlClass,
            'flex cursor-text items-center px-1.5 py-1 focus-within:outline-2 focus-within:outline-accent',
          )}
        >
          <Combobox.Value>
            {(chosen: Choice[]) => (
              <Combobox.Chips className="flex w-full flex-wrap items-center gap-1">
                {chosen.map((choice) => (
                  <Combobox.Chip
                    key={choice.value}
                    aria-label={choice.label}
                    className="cl-focus flex max-w-full items-center gap-0.5 rounded-md bg-raised pl-2 text-md"
                  >
                    <span className="truncate">{choice.label}</span>
                    <Combobox.ChipRemove
                      aria-label={`Remove ${choice.label}`}
                      className="grid size-6.5 shrink-0 place-items-center rounded-md text-muted hover:bg-pressed pointer-coarse:size-9"
                    >
                      <X className="size-3.5" aria-hidden />
                    </Combobox.ChipRemove>
                  </Combobox.Chip>
                ))}
                <Combobox.Input
                  onKeyDown={keepOnEscape}
                  placeholder={chosen.length === 0 ? placeholder : ''}
                  className="min-h-6.5 min-w-16 flex-1 bg-transparent px-1.5 outline-hidden placeholder:text-muted"
                />
              </Combobox.Chips>
            )}
          </Combobox.Value>
        </Combobox.InputGroup>
        <ComboPopup busy={busy} {...(emptyText !== undefined && { emptyText })} />
      </Combobox.Root>
    </Field>
  );
}
