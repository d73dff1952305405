'use client';

import { Meter as Base } from '@base-ui/react/meter';
import { Progress } from '@base-ui/react/progress';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { fillTone, type Tone } from '../shared/tones.ts';

export interface MeterProps {
  label: string;
  value: number;
  max?: number;
  /** The value as text; by default "40 of 100". */
  text?: ReactNode;
  tone?: Tone;
  hideLabel?: boolean;
  className?: string;
}

/** Shows how full something is. */
export function Meter({
  label,
  value,
  max = 100,
  text,
  tone = 'accent',
  hideLabel = false,
  className,
}: MeterProps) {
  return (
    <Base.Root
      value={Math.min(value, max)}
      max={max}
      className={classNames('flex min-w-0 flex-col gap-1.5', className)}
    >
      <div className={hideLabel ? 'sr-only' : 'flex justify-between gap-4 text-md'}>
        <Base.Label className="text-ink">{label}</Base.Label>
        <Base.Value className="text-muted tabular-nums">{() => text ?? `${value} of ${max}`}</Base.Value>
      </div>
      <Base.Track className="h-2 overflow-hidden rounded-full bg-pressed">
        <Base.Indicator className={classNames('rounded-full', fillTone[tone])} />
      </Base.Track>
    </Base.Root>
  );
}

export interface ProgressBarProps {
  label: string;
  /** From 0 to 100; null if the progress is unknown. */
  value: number | null;
  className?: string;
}

/** Shows the progress of a task. */
export function ProgressBar({ label, value, className }: ProgressBarProps) {
  return (
    <Progress.Root value={value} className={classNames('flex min-w-0 flex-col gap-1.5', className)}>
      <div className="flex justify-between gap-4 text-md">
        <Progress.Label className="text-ink">{label}</Progress.Label>
        {value !== null && <Progress.Value className="text-muted tabular-nums" />}
      </div>
      <Progress.Track className="h-2 overflow-hidden rounded-full bg-pressed">
        <Progress.Indicator className="rounded-full bg-accent transition-[width] duration-300 data-indeterminate:h-full data-indeterminate:w-1/3 data-indeterminate:animate-pulse motion-reduce:transition-none" />
      </Progress.Track>
    </Progress.Root>
  );
}
