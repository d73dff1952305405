'use client';

import { NumberField, SwitchField } from '@clarion/ui';

export interface OptionalNumberProps {
  name: string;
  /** The label of the switch. */
  switchLabel: string;
  /** The bounds, and the meaning of off. */
  switchHint: string;
  label: string;
  unit: string;
  min: number;
  max: number;
  /** The initial value when it is switched on. */
  start: number;
  /** Null: off. */
  value: number | null;
  onChange(value: number | null): void;
}

/** An optional limit. Null has its own switch, so that an empty input never means "no limit". */
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
