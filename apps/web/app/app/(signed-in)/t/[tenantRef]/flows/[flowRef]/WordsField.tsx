'use client';

import { TextField } from '@clarion/ui';
import { useState } from 'react';

interface WordsFieldProps {
  name: string;
  label: string;
  hint?: string;
  error?: string;
  disabled: boolean;
  words: readonly string[];
  onChange(words: string[]): void;
}

/** Words separated by commas. What is typed stays as it is typed while it says the same. */
export function WordsField({ words, onChange, ...common }: WordsFieldProps) {
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
