'use client';

import { Field as Base } from '@base-ui/react/field';
import { Switch } from '@base-ui/react/switch';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { FieldWords } from './Field.tsx';

export interface SwitchFieldProps {
  name?: string;
  label: ReactNode;
  hint?: ReactNode;
  checked?: boolean;
  defaultChecked?: boolean;
  onCheckedChange?(checked: boolean): void;
  disabled?: boolean;
  className?: string;
}

/** On or off. With `onCheckedChange` it acts at once; in a form its value is "on" or absent. */
export function SwitchField({
  name,
  label,
  hint,
  checked,
  defaultChecked,
  onCheckedChange,
  disabled = false,
  className,
}: SwitchFieldProps) {
  return (
    <Base.Root
      {...(name !== undefined && { name })}
      disabled={disabled}
      className={classNames('flex min-w-0 items-start justify-between gap-6', className)}
    >
      <div className="flex min-w-0 flex-col gap-0.5">
        <Base.Label className="text-md font-medium text-ink">{label}</Base.Label>
        <FieldWords hint={hint} />
      </div>
      <Switch.Root
        {...(checked !== undefined && { checked })}
        {...(defaultChecked !== undefined && { defaultChecked })}
        onCheckedChange={(next) => onCheckedChange?.(next)}
        className="cl-focus relative flex h-6 w-10 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors data-checked:bg-accent data-disabled:opacity-50 pointer-coarse:before:absolute pointer-coarse:before:-inset-2.5 motion-reduce:transition-none"
      >
        <Switch.Thumb className="size-5 rounded-full bg-surface transition-transform data-checked:translate-x-4 motion-reduce:transition-none" />
      </Switch.Root>
    </Base.Root>
  );
}
