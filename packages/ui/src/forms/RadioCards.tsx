'use client';

import { Field as Base } from '@base-ui/react/field';
import { Fieldset } from '@base-ui/react/fieldset';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { FieldMessages } from './Field.tsx';

export interface RadioCard {
  value: string;
  label: string;
  note?: ReactNode;
  icon?: ReactNode;
  disabled?: boolean;
}

export interface RadioCardsProps {
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  choices: readonly RadioCard[];
  value?: string;
  defaultValue?: string;
  onValueChange?(value: string): void;
  columns?: 1 | 2 | 3;
  disabled?: boolean;
  className?: string;
}

const columnsClass = { 1: '', 2: 'sm:grid-cols-2', 3: 'sm:grid-cols-2 lg:grid-cols-3' };

/** Selects one of a few options that need an explanation. */
export function RadioCards({
  name,
  label,
  hint,
  choices,
  value,
  defaultValue,
  onValueChange,
  columns = 1,
  disabled = false,
  className,
}: RadioCardsProps) {
  return (
    <Base.Root name={name} disabled={disabled} className={classNames('min-w-0', className)}>
      <Fieldset.Root
        className="flex min-w-0 flex-col gap-1.5"
        render={
          <RadioGroup
            {...(value !== undefined && { value })}
            {...(defaultValue !== undefined && { defaultValue })}
            onValueChange={(next) => {
              if (typeof next === 'string') onValueChange?.(next);
            }}
          />
        }
      >
        <Fieldset.Legend className="text-md font-medium text-ink">{label}</Fieldset.Legend>
        <FieldMessages hint={hint} />
        <div className={classNames('grid gap-2', columnsClass[columns])}>
          {choices.map((choice) => (
            <Base.Item key={choice.value} disabled={choice.disabled ?? false}>
              <Base.Label className="flex h-full items-start gap-3 rounded-panel border border-line bg-surface p-3.5 text-md transition-colors hover:bg-raised has-data-checked:border-accent has-data-checked:bg-accent-soft has-data-disabled:opacity-60">
                {choice.icon !== undefined && (
                  <span className="mt-0.5 shrink-0 text-muted [&_svg]:size-5">{choice.icon}</span>
                )}
                <span className="flex min-w-0 flex-1 flex-col">
                  <span className="font-medium text-ink">{choice.label}</span>
                  {choice.note !== undefined && <span className="text-muted">{choice.note}</span>}
                </span>
                <Radio.Root
                  value={choice.value}
                  className="cl-focus mt-0.5 grid size-4.5 shrink-0 place-items-center rounded-full border border-line-strong bg-surface data-checked:border-accent data-checked:bg-accent"
                >
                  <Radio.Indicator className="size-2 rounded-full bg-on-accent" />
                </Radio.Root>
              </Base.Label>
            </Base.Item>
          ))}
        </div>
      </Fieldset.Root>
    </Base.Root>
  );
}
