'use client';

import { Field as Base } from '@base-ui/react/field';
import { Switch } from '@base-ui/react/switch';
import { classNames } from '../shared/class-names.ts';
import { FieldMessages } from './Field.tsx';
import { onOffControl, onOffField, type OnOffProps } from './on-off.ts';

export type SwitchFieldProps = OnOffProps;

/** On or off. With `onCheckedChange`, it takes effect immediately; in a form, its value is "on" or absent. */
export function SwitchField(props: SwitchFieldProps) {
  const { label, hint, className } = props;
  return (
    <Base.Root
      {...onOffField(props)}
      className={classNames('flex min-w-0 items-start justify-between gap-6', className)}
    >
      <div className="flex min-w-0 flex-col gap-0.5">
        <Base.Label className="text-md font-medium text-ink">{label}</Base.Label>
        <FieldMessages hint={hint} />
      </div>
      <Switch.Root
        {...onOffControl(props)}
        className="cl-focus relative flex h-6 w-10 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors data-checked:bg-accent data-disabled:opacity-50 pointer-coarse:before:absolute pointer-coarse:before:-inset-2.5 motion-reduce:transition-none"
      >
        <Switch.Thumb className="size-5 rounded-full bg-surface transition-transform data-checked:translate-x-4 motion-reduce:transition-none" />
      </Switch.Root>
    </Base.Root>
  );
}
