'use client';

import { Popover } from '@base-ui/react/popover';
import { CalendarDays, Check, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { buttonClass } from '../actions/Button.tsx';
import { classNames } from '../shared/class-names.ts';
import { formatDay } from '../shared/format.ts';
import { usePortal } from '../shared/portal.tsx';
import { controlClass, optionClass, popupClass } from '../shared/surfaces.ts';

/** Dates such as `2026-11-21`, both inclusive. */
export interface DateRange {
  from: string;
  to: string;
}

export interface DateRangePreset extends DateRange {
  label: string;
}

export interface DateRangeFieldProps extends DateRange {
  onChange(range: DateRange): void;
  presets: readonly DateRangePreset[];
  label?: string;
  /** The first and last date that can be selected. */
  min?: string;
  max?: string;
  className?: string;
}

/** Selects a date range, by a preset ("Last 7 days") or by two dates. */
export function DateRangeField({
  from,
  to,
  onChange,
  presets,
  label = 'Period',
  min,
  max,
  className,
}: DateRangeFieldProps) {
  const [open, setOpen] = useState(false);
  const portal = usePortal();
  const current = presets.find((preset) => preset.from === from && preset.to === to);
  const text = current?.label ?? (from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        aria-label={`${label}: ${text}`}
        className={buttonClass(
          'quiet',
          'md',
          classNames('border border-line-strong bg-surface! hover:bg-raised!', className),
        )}
      >
        <CalendarDays className="size-4 text-muted" aria-hidden />
        <span className="whitespace-nowrap tabular-nums">{text}</span>
        <ChevronDown className="size-4 text-muted" aria-hidden />
      </Popover.Trigger>
      <Popover.Portal {...portal}>
        <Popover.Positioner className="z-60 outline-hidden" sideOffset={6} align="end">
          <Popover.Popup aria-label={label} className={classNames(popupClass, 'w-72 p-1.5')}>
            {presets.map((preset) => (
              <button
                key={preset.label}
                type="button"
                aria-pressed={preset === current}
                onClick={() => {
                  onChange({ from: preset.from, to: preset.to });
                  setOpen(false);
                }}
                className={classNames(
                  optionClass,
                  'cl-focus w-full text-left -outline-offset-2! hover:bg-raised',
                )}
              >
                <span className="flex-1">{preset.label}</span>
                {preset === current && <Check className="size-4 text-accent" aria-hidden />}
              </button>
            ))}
            <div className="mt-1.5 grid grid-cols-2 gap-2 border-t border-line px-1 pt-2.5 pb-1">
              {(['from', 'to'] as const).map((end) => (
                <label key={end} className="flex min-w-0 flex-col gap-1 text-sm font-medium text-muted">
                  {end === 'from' ? 'From' : 'To'}
                  <input
                    type="date"
                    value={end === 'from' ? from : to}
                    min={end === 'to' ? from : min}
                    max={end === 'from' ? to : max}
                    onChange={({ target }) => {
                      // Empty while a date is incomplete.
                      if (target.value !== '') onChange({ from, to, [end]: target.value });
                    }}
                    className={classNames(controlClass, 'px-2! text-sm! tabular-nums')}
                  />
                </label>
              ))}
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
