'use client';

import { Select } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import { optionClass, popupClass } from '../shared/surfaces.ts';

export interface Choice {
  value: string;
  label: string;
  /** Secondary text. */
  note?: string;
  disabled?: boolean;
}

export interface ChoiceSelectProps {
  label: string;
  choices: readonly Choice[];
  value: string;
  onChoose(value: string): void;
  icon?: ReactNode;
  disabled?: boolean;
}

/** Selects one of several options, with the label above. */
export function ChoiceSelect({ label, choices, value, onChoose, icon, disabled = false }: ChoiceSelectProps) {
  return (
    <Select.Root
      items={choices}
      value={value}
      disabled={disabled}
      onValueChange={(chosen) => {
        if (chosen !== null) onChoose(chosen);
      }}
    >
      <div className="flex min-w-0 flex-col gap-1.5">
        <Select.Label className="text-sm font-medium text-muted">{label}</Select.Label>
        <Select.Trigger className="cl-focus flex min-h-11 w-full min-w-0 items-center gap-2.5 rounded-control border border-line-strong bg-surface px-3 text-left text-base text-ink transition-colors hover:bg-raised disabled:opacity-60">
          {icon && <span className="flex shrink-0 text-muted">{icon}</span>}
          <Select.Value className="min-w-0 flex-1 truncate" />
          <Select.Icon className="shrink-0 text-muted">
            <ChevronDown className="size-4" aria-hidden />
          </Select.Icon>
        </Select.Trigger>
      </div>
      <ChoicePopup choices={choices} />
    </Select.Root>
  );
}

/** The list that a select opens. */
export function ChoicePopup({ choices }: { choices: readonly Choice[] }) {
  const portal = usePortal();
  return (
    <Select.Portal {...portal}>
      <Select.Positioner className="z-60 outline-hidden" sideOffset={6} alignItemWithTrigger={false}>
        <Select.Popup
          className={classNames(popupClass, 'w-max max-w-(--available-width) min-w-(--anchor-width)')}
        >
          <Select.List>
            {choices.map(({ value: choice, label: text, note, disabled = false }) => (
              <Select.Item key={choice} value={choice} disabled={disabled} className={optionClass}>
                <span className="flex min-w-0 flex-1 flex-col">
                  <Select.ItemText className="truncate">{text}</Select.ItemText>
                  {note && <span className="truncate text-sm text-muted tabular-nums">{note}</span>}
                </span>
                <Select.ItemIndicator className="shrink-0 text-accent">
                  <Check className="size-4" aria-hidden />
                </Select.ItemIndicator>
              </Select.Item>
            ))}
          </Select.List>
        </Select.Popup>
      </Select.Positioner>
    </Select.Portal>
  );
}
