'use client';

import { Field as Base } from '@base-ui/react/field';
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../actions/IconButton.tsx';
import { classNames } from '../shared/class-names.ts';
import { controlClass } from '../shared/surfaces.ts';
import { useInitialFocus } from '../shared/use-initial-focus.ts';
import { Field, type FieldProps } from './Field.tsx';

export interface PasswordFieldProps extends FieldProps {
  name: string;
  /** Which password a password manager should fill in. */
  autoComplete?: 'current-password' | 'new-password' | 'off';
  required?: boolean;
  minLength?: number;
  /** Receives the focus when it appears. */
  focusFirst?: boolean;
  value?: string;
  defaultValue?: string;
  onValueChange?(value: string): void;
}

/** A password field with a button that shows the password. */
export function PasswordField({
  autoComplete = 'current-password',
  required = false,
  minLength,
  focusFirst = false,
  value,
  defaultValue,
  onValueChange,
  ...field
}: PasswordFieldProps) {
  const input = useInitialFocus<HTMLInputElement>(focusFirst);
  const [shown, setShown] = useState(false);
  return (
    <Field {...field}>
      <div className="relative">
        <Base.Control
          type={shown ? 'text' : 'password'}
          autoComplete={autoComplete}
          required={required}
          ref={input}
          spellCheck={false}
          {...(minLength !== undefined && { minLength })}
          {...(value !== undefined && { value })}
          {...(defaultValue !== undefined && { defaultValue })}
          {...(onValueChange !== undefined && { onValueChange })}
          className={classNames(controlClass, 'pr-11')}
        />
        <IconButton
          label={shown ? 'Hide' : 'Show'}
          aria-pressed={shown}
          size="sm"
          icon={shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          onClick={() => setShown(!shown)}
          className="absolute top-1/2 right-0.5 -translate-y-1/2 text-muted"
        />
      </div>
    </Field>
  );
}
