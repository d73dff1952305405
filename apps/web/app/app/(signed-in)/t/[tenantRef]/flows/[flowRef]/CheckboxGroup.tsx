'use client';

import { classNames } from '@clarion/ui';
import { useId } from 'react';
import { choiceLabel, labelFromName } from '#lib/flow-builder/labels.ts';

interface CheckboxGroupProps {
  name: string;
  label: string;
  values: readonly string[];
  chosen: readonly string[];
  disabled: boolean;
  error?: string;
  onChange(values: string[]): void;
}

const SHORT_CHARS = 3;

/** Selects some of a few fixed values, for example days of the week. */
export function CheckboxGroup({
  name,
  label,
  values,
  chosen,
  disabled,
  error,
  onChange,
}: CheckboxGroupProps) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-1.5">
      <span id={id} className="text-md font-medium text-ink">
        {label}
      </span>
      <div className="flex flex-wrap gap-1">
        {values.map((value) => {
          const isOn = chosen.includes(value);
          return (
            <button
              key={value}
              type="button"
              aria-pressed={isOn}
              aria-label={labelFromName(value)}
              disabled={disabled}
              onClick={() =>
                onChange(values.filter((each) => (each === value ? !isOn : chosen.includes(each))))
              }
              className={classNames(
                'cl-focus min-h-8 min-w-8 flex-1 rounded-md text-sm font-medium pointer-coarse:min-h-11',
                isOn ? 'bg-accent text-on-accent' : 'bg-raised text-muted hover:text-ink',
              )}
            >
              {choiceLabel(name, value).slice(0, SHORT_CHARS)}
            </button>
          );
        })}
      </div>
      {error !== undefined && <p className="text-sm font-medium text-negative-text">{error}</p>}
    </div>
  );
}
