'use client';

import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown, X } from 'lucide-react';
import { useMemo, type KeyboardEvent } from 'react';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import { controlClass, popupClass } from '../shared/surfaces.ts';
import type { Choice } from './ChoiceSelect.tsx';
import { ComboList } from './ComboList.tsx';
import { Field, type FieldProps } from './Field.tsx';

export interface ComboFieldProps extends FieldProps {
  choices: readonly Choice[];
  value?: string | null;
  defaultValue?: string;
  /** Called with null when the field is cleared. */
  onValueChange?(value: string | null): void;
  /** Called with the typed text. If set, `choices` are the results and are not filtered here. */
  onSearch?(text: string): void;
  /** A search is in progress. */
  busy?: boolean;
  placeholder?: string;
  required?: boolean;
  /** Shown if there are no results. */
  emptyText?: string;
}

/** Selects one of many options by typing. */
export function ComboField({
  choices,
  value,
  defaultValue,
  onValueChange,
  onSearch,
  busy = false,
  placeholder = 'Search',
  required = false,
  emptyText,
  ...field
}: ComboFieldProps) {
  const find = useMemo(() => finder(choices), [choices]);
  return (
    <Field {...field}>
      <Combobox.Root
        items={choices}
        required={required}
        autoHighlight
        {...(value !== undefined && { value: find(value) })}
        {...(defaultValue !== undefined && { defaultValue: find(defaultValue) })}
        isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
        onValueChange={(chosen: Choice | null) => onValueChange?.(chosen?.value ?? null)}
        {...(onSearch !== undefined && {
          filter: null,
          onInputValueChange: (text: string, { reason }: { reason: string }) => {
            if (reason !== 'item-press') onSearch(text);
          },
        })}
      >
        <Combobox.InputGroup className="relative">
          <Combobox.Input
            onKeyDown={keepOnEscape}
            placeholder={placeholder}
            className={classNames(controlClass, 'pr-16')}
          />
          <div className="absolute inset-y-0 right-1 flex items-center text-muted">
            <Combobox.Clear aria-label="Clear" className={sideClass}>
              <X className="size-4" aria-hidden />
            </Combobox.Clear>
            <Combobox.Trigger aria-label="Open the list" className={sideClass}>
              <ChevronDown className="size-4" aria-hidden />
            </Combobox.Trigger>
          </div>
        </Combobox.InputGroup>
        <ComboPopup busy={busy} {...(emptyText !== undefined && { emptyText })} />
      </Combobox.Root>
    </Field>
  );
}

/** Escape closes the list. With a closed list, Base UI would clear the selection and keep a surrounding dialog open. */
export function keepOnEscape(event: KeyboardEvent & { preventBaseUIHandler(): void }): void {
  if (event.key === 'Escape' && event.currentTarget.getAttribute('aria-expanded') !== 'true')
    event.preventBaseUIHandler();
}

const sideClass = 'cl-focus grid size-7 place-items-center rounded-md hover:bg-raised';

/** The choice with this value. A value that is not (yet) among the choices is shown as it is. */
export function finder(choices: readonly Choice[]): (value: string | null) => Choice | null {
  const known = new Map(choices.map((choice) => [choice.value, choice]));
  return (value) => (value === null ? null : (known.get(value) ?? { value, label: value }));
}

export function ComboPopup({ busy, emptyText = 'No results' }: { busy: boolean; emptyText?: string }) {
  const portal = usePortal();
  return (
    <Combobox.Portal {...portal}>
      <Combobox.Positioner className="z-60 outline-hidden" sideOffset={6}>
        <Combobox.Popup className={classNames(popupClass, 'w-(--anchor-width) max-w-(--available-width)')}>
          <Combobox.Status className="px-2.5 text-md text-muted not-empty:py-2">
            {busy ? 'Searching' : null}
          </Combobox.Status>
          <ComboList emptyText={busy ? null : emptyText} />
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}
