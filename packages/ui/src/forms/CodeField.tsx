'use client';

import { Field as Base } from '@base-ui/react/field';
import { useState } from 'react';
import { classNames } from '../shared/class-names.ts';
import { controlClass } from '../shared/surfaces.ts';
import { Field, type FieldProps } from './Field.tsx';

const DIGITS = 6;

export interface CodeFieldProps extends FieldProps {
  name: string;
  autoFocus?: boolean;
  /** All six digits are there: typed, pasted, or filled in by the system. */
  onComplete?(code: string): void;
}

/** A one-time code of six digits; spaces and dashes of a pasted one are dropped. */
export function CodeField({ autoFocus = false, onComplete, ...field }: CodeFieldProps) {
  const [code, setCode] = useState('');
  return (
    <Field {...field}>
      <Base.Control
        value={code}
        onValueChange={(typed) => {
          const digits = typed.replaceAll(/\D/g, '').slice(0, DIGITS);
          setCode(digits);
          if (digits.length === DIGITS && digits !== code) onComplete?.(digits);
        }}
        required
        pattern={`\\d{${DIGITS}}`}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus={autoFocus}
        spellCheck={false}
        placeholder={'0'.repeat(DIGITS)}
        className={classNames(
          controlClass,
          'min-h-12! max-w-60 font-mono text-xl! tracking-[0.35em] tabular-nums',
        )}
      />
    </Field>
  );
}
