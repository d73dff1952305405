'use client';

import { Combobox } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { optionClass } from '../shared/surfaces.ts';
import type { Choice } from './ChoiceSelect.tsx';

export interface ComboListProps {
  /** Shown if there are no results; null while searching. */
  emptyText?: string | null;
  /** An image before the label of each option. */
  before?(choice: Choice): ReactNode;
  className?: string;
}

/** The options in the popup of a combobox. */
export function ComboList({ emptyText = 'No results', before, className }: ComboListProps) {
  return (
    <>
      <Combobox.Empty className="px-2.5 text-md text-muted not-empty:py-2">{emptyText}</Combobox.Empty>
      <Combobox.List className={classNames('outline-hidden', className)}>
        {(choice: Choice) => (
          <Combobox.Item
            key={choice.value}
            value={choice}
            disabled={choice.disabled ?? false}
            className={optionClass}
          >
            {before?.(choice)}
            <span className="flex min-w-0 flex-1 flex-col">
              <span className="truncate">{choice.label}</span>
              {choice.note !== undefined && (
                <span className="truncate text-sm text-muted tabular-nums">{choice.note}</span>
              )}
            </span>
            <Combobox.ItemIndicator className="shrink-0 text-accent">
              <Check className="size-4" aria-hidden />
            </Combobox.ItemIndicator>
          </Combobox.Item>
        )}
      </Combobox.List>
    </>
  );
}
