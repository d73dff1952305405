'use client';

import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

export interface Segment<T extends string = string> {
  value: T;
  label: string;
  /** Shown instead of the label, which remains the accessible name. */
  icon?: ReactNode;
}

export interface SegmentedControlProps<T extends string = string> {
  label: string;
  choices: readonly Segment<T>[];
  value: T;
  onChange(value: T): void;
  className?: string;
}

/** Selects one of two to five options, with immediate effect. */
export function SegmentedControl<T extends string>({
  label,
  choices,
  value,
  onChange,
  className,
}: SegmentedControlProps<T>) {
  return (
    <ToggleGroup
      aria-label={label}
      value={[value]}
      onValueChange={([next]) => {
        // Pressing the selected option would deselect it.
        const chosen = choices.find((choice) => choice.value === next);
        if (chosen !== undefined) onChange(chosen.value);
      }}
      className={classNames(
        'inline-flex max-w-full gap-0.5 overflow-x-auto rounded-control bg-pressed p-0.5',
        className,
      )}
    >
      {choices.map((choice) => (
        <Toggle
          key={choice.value}
          value={choice.value}
          {...(choice.icon !== undefined && { 'aria-label': choice.label })}
          className="cl-focus flex min-h-8 min-w-8 flex-auto items-center justify-center gap-1.5 rounded-md px-3 text-md font-medium whitespace-nowrap text-muted -outline-offset-2! hover:text-ink data-pressed:bg-surface data-pressed:text-ink data-pressed:shadow-sm pointer-coarse:min-h-11 [&_svg]:size-4"
        >
          {choice.icon ?? choice.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
