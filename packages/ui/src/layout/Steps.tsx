'use client';

import { Check } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';

export interface StepsProps {
  /** The accessible name of the list. */
  label: string;
  steps: readonly string[];
  /** The index of the current step. */
  current: number;
  /** Returns to an earlier step. Without it, the steps only show the progress. */
  onStep?(index: number): void;
  className?: string;
}

const itemClass = 'flex min-h-9 min-w-0 items-center wrap-anywhere gap-2 text-md pointer-coarse:min-h-11';

/** The steps of a task with several pages. Earlier steps can be opened again. */
export function Steps({ label, steps, current, onStep, className }: StepsProps) {
  return (
    <nav aria-label={label} className={className}>
      <p className="text-md wrap-anywhere text-muted sm:hidden" aria-hidden>
        Step {current + 1} of {steps.length}: <span className="font-medium text-ink">{steps[current]}</span>
      </p>
      <ol className="flex flex-wrap gap-x-6 gap-y-1 max-sm:sr-only">
        {steps.map((step, index) => (
          <li key={step} className="min-w-0" {...(index === current && { 'aria-current': 'step' as const })}>
            {index < current && onStep !== undefined ? (
              <button
                type="button"
                onClick={() => onStep(index)}
                className={classNames(itemClass, 'cl-focus rounded-md text-ink hover:underline')}
              >
                <Mark index={index} current={current} />
                {step}
              </button>
            ) : (
              <span
                className={classNames(itemClass, index === current ? 'font-medium text-ink' : 'text-muted')}
              >
                <Mark index={index} current={current} />
                {step}
              </span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Mark({ index, current }: { index: number; current: number }) {
  const done = index < current;
  return (
    <span
      className={classNames(
        'grid size-6 shrink-0 place-items-center rounded-full text-sm font-semibold tabular-nums',
        index === current
          ? 'bg-accent text-on-accent'
          : done
            ? 'bg-accent-soft text-accent'
            : 'border border-line-strong text-muted',
      )}
    >
      {done ? <Check className="size-3.5" aria-label="Done" /> : index + 1}
    </span>
  );
}
