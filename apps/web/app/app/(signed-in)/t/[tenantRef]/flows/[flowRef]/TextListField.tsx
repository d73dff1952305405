'use client';

import { TextField } from '@clarion/ui';
import { useState } from 'react';

interface TextListFieldProps {
  name: string;
  label: string;
  hint?: string;
  error?: string;
  disabled: boolean;
  words: readonly string[];
  onChange(words: string[]): void;
}

/** A list of texts separated by commas. The input keeps its formatting while its value is unchanged. */
export function TextListField({ words, onChange, ...common }: TextListFieldProps) {
  const [typed, setTyped] = useState(words.join(', '));
  const shown = read(typed).join() === words.join() ? typed : words.join(', ');
  return (
    <TextField
      {...common}
      optional
      value={shown}
      onValueChange={(next) => {
        setTyped(next);
        onChange(read(next));
      }}
    />
  );
}

const read = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
