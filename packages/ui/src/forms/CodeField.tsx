'use client';

import { Field as Base } from '@base-ui/react/field';
import { useState } from 'react';
import { classNames } from '../shared/class-names.ts';
import { controlClass } from '../shared/surfaces.ts';
import { useInitialFocus } from '../shared/use-initial-focus.ts';
import { Field, type FieldProps } from './Field.tsx';

const DIGITS = 6;

export interface CodeFieldProps extends FieldProps {
  name: string;
  /** Receives the focus when it appears. */
  focusFirst?: boolean;
  /** Called when all six digits are entered: typed, pasted or filled in by the system. */
  onComplete?(code: string): void;
}

/** A one-time code of six digits. Spaces and dashes of a pasted code are removed. */
export function CodeField({ focusFirst = false, onComplete, ...field }: CodeFieldProps) {
  const input = useInitialFocus<HTMLInputElement>(focusFirst);
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
        ref={input}
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
