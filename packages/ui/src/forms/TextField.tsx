'use client';

import { Field as Base } from '@base-ui/react/field';
import type { HTMLInputTypeAttribute, ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { controlClass } from '../shared/surfaces.ts';
import { useInitialFocus } from '../shared/use-initial-focus.ts';
import { Field, type FieldProps } from './Field.tsx';

export interface TextFieldProps extends FieldProps {
  defaultValue?: string;
  value?: string;
  onValueChange?(value: string): void;
  type?: HTMLInputTypeAttribute;
  placeholder?: string;
  required?: boolean;
  /** Makes it multi-line; a number sets the initial number of lines. */
  multiline?: boolean | number;
  /** Text inside the field, before and after the input. */
  prefix?: ReactNode;
  suffix?: ReactNode;
  autoComplete?: string;
  /** Receives the focus when it appears. */
  focusFirst?: boolean;
  readOnly?: boolean;
  /** A monospaced font, for code, keys and addresses. */
  mono?: boolean;
  maxLength?: number;
  inputMode?: 'text' | 'tel' | 'email' | 'url' | 'numeric' | 'decimal' | 'search';
}

const LINES = 4;

export function TextField({
  name,
  label,
  hint,
  optional,
  error,
  disabled,
  hideLabel,
  className,
  multiline = false,
  prefix,
  suffix,
  mono = false,
  value,
  defaultValue,
  onValueChange,
  focusFirst = false,
  ...input
}: TextFieldProps) {
  const control = useInitialFocus<HTMLInputElement>(focusFirst);
  const field = { name, label, hint, optional, error, disabled, hideLabel, className };
  const given = {
    ...(value !== undefined && { value }),
    ...(defaultValue !== undefined && { defaultValue }),
    ...(onValueChange !== undefined && { onValueChange }),
    ...input,
    ref: control,
  };
  const type = mono ? 'font-mono' : '';
  const typed = multiline ? (
    <Base.Control
      {...given}
      render={<textarea rows={multiline === true ? LINES : multiline} />}
      className={classNames(controlClass, 'resize-y py-2', type)}
    />
  ) : (
    <Base.Control {...given} className={classNames(controlClass, type, framed(prefix, suffix))} />
  );
  return (
    <Field {...defined(field)}>
      {prefix === undefined && suffix === undefined ? (
        typed
      ) : (
        <div className="flex min-w-0">
          {prefix !== undefined && (
            <span className={classNames(sideClass, 'rounded-l-control border-r-0')}>{prefix}</span>
          )}
          {typed}
          {suffix !== undefined && (
            <span className={classNames(sideClass, 'rounded-r-control border-l-0')}>{suffix}</span>
          )}
        </div>
      )}
    </Field>
  );
}

const sideClass =
  'flex shrink-0 items-center border border-line-strong bg-raised in-data-invalid:border-negative px-3 text-md whitespace-nowrap text-muted';

const framed = (prefix: ReactNode, suffix: ReactNode): string =>
  classNames(
    prefix !== undefined && 'rounded-l-none',
    suffix !== undefined && 'rounded-r-none',
    'focus-visible:z-1',
  );

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Removes undefined properties, so that a wrapper can pass on optional ones. */
export function defined<T extends object>(props: T): Given<T> {
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)) as Given<T>;
}
