'use client';

import type { ComponentType, ReactNode } from 'react';
import { Skeleton } from '../feedback/Skeleton.tsx';
import type { ChoiceSelectProps } from '../forms/ChoiceSelect.tsx';
import type { ComboFieldProps } from '../forms/ComboField.tsx';
import type { DateRangeFieldProps } from '../forms/DateRangeField.tsx';
import type { MultiSelectFieldProps } from '../forms/MultiSelectField.tsx';
import type { NumberFieldProps } from '../forms/NumberField.tsx';
import type { RadioCardsProps } from '../forms/RadioCards.tsx';
import type { SelectFieldProps } from '../forms/SelectField.tsx';
import { classNames } from '../shared/class-names.ts';
import type { ThemeSwitchProps } from '../shell/ThemeSwitch.tsx';
import { onDemand } from './on-demand.tsx';

/** Controls with a lot of code, such as lists that open. A page renders before they are loaded. */

interface Labelled {
  label: ReactNode;
  hideLabel?: boolean;
  className?: string;
}

const Waiting: ComponentType<Labelled> = ({ label, hideLabel = false, className }) => (
  <div className={classNames('flex min-w-0 flex-col gap-1.5', className)}>
    <span className={hideLabel ? 'sr-only' : 'text-md font-medium text-ink'}>{label}</span>
    <Skeleton className="h-9 pointer-coarse:h-11" />
  </div>
);

export const SelectField = onDemand<SelectFieldProps>(
  async () => (await import('../forms/SelectField.tsx')).SelectField,
  Waiting,
);
export const ComboField = onDemand<ComboFieldProps>(
  async () => (await import('../forms/ComboField.tsx')).ComboField,
  Waiting,
);
export const MultiSelectField = onDemand<MultiSelectFieldProps>(
  async () => (await import('../forms/MultiSelectField.tsx')).MultiSelectField,
  Waiting,
);
export const ChoiceSelect = onDemand<ChoiceSelectProps>(
  async () => (await import('../forms/ChoiceSelect.tsx')).ChoiceSelect,
  Waiting,
);
export const DateRangeField = onDemand<DateRangeFieldProps>(
  async () => (await import('../forms/DateRangeField.tsx')).DateRangeField,
  ({ className }) => <Skeleton className={classNames('h-9 w-44 pointer-coarse:h-11', className)} />,
);
export const NumberField = onDemand<NumberFieldProps>(
  async () => (await import('../forms/NumberField.tsx')).NumberField,
  Waiting,
);
export const RadioCards = onDemand<RadioCardsProps>(
  async () => (await import('../forms/RadioCards.tsx')).RadioCards,
  () => <Skeleton className="h-32" />,
);
export const ThemeSwitch = onDemand<ThemeSwitchProps>(
  async () => (await import('../shell/ThemeSwitch.tsx')).ThemeSwitch,
  ({ className }) => <Skeleton className={classNames('h-9', className)} />,
);
