'use client';

import { NumberField, SwitchField } from '@clarion/ui';

export interface OptionalNumberProps {
  name: string;
  /** What switching it on does. */
  switchLabel: string;
  /** The bounds, and what off means. */
  switchHint: string;
  label: string;
  unit: string;
  min: number;
  max: number;
  /** What it begins with when it is switched on. */
  start: number;
  /** Null: off. */
  value: number | null;
  onChange(value: number | null): void;
}

/** A limit that may be absent: null has a switch of its own, so that an empty box never means "for ever". */
export function OptionalNumber(props: OptionalNumberProps) {
  const { name, switchLabel, switchHint, label, unit, min, max, start, value, onChange } = props;
  return (
    <div className="flex flex-col gap-3">
      <SwitchField
        label={switchLabel}
        hint={switchHint}
        checked={value !== null}
        onCheckedChange={(on) => onChange(on ? start : null)}
      />
      {value !== null && (
        <NumberField
          name={name}
          label={label}
          unit={unit}
          min={min}
          max={max}
          value={value}
          onValueChange={(next) => onChange(next ?? min)}
        />
      )}
    </div>
  );
}
