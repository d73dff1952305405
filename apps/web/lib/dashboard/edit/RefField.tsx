'use client';

import { TextField } from '@clarion/ui';

export interface RefFieldProps {
  name: string;
  /** "tenant" */
  noun: string;
  value: string;
  onValueChange(value: string): void;
}

/** The id that the API knows a new thing by; it stays for good. */
export function RefField({ name, noun, value, onValueChange }: RefFieldProps) {
  return (
    <TextField
      name={name}
      label="Ref"
      hint={`What your backend calls this ${noun} by. Use your own id for it if you have one. It cannot be changed later.`}
      value={value}
      onValueChange={onValueChange}
      required
      mono
      maxLength={REF_MAX_CHARS}
      autoComplete="off"
    />
  );
}

/** Spec, Limits: refs. */
const REF_MAX_CHARS = 191;
