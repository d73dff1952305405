'use client';

import { TextField } from '@clarion/ui';
import type { ReactNode } from 'react';
import { suggestRef } from './suggest-ref.ts';

/** docs/requirements.md#fields */
const REF_MAX_CHARS = 191;

export interface NameAndRefProps {
  /** "tenant" */
  noun: string;
  /** The API's names of the two fields; `newRef` reports errors for the ref's. */
  nameField?: string;
  refField: string;
  value: { name: string; ref: string };
  onChange(changes: { name?: string; ref?: string }): void;
  /** For an existing resource only the name is shown, because a ref never changes. */
  isNew?: boolean;
  /** The existing refs. */
  taken: readonly string[];
  nameHint?: ReactNode;
  /** The name may be empty. */
  optional?: boolean;
}

/** The name and the ref. The ref is derived from the name until it is edited. */
export function NameAndRef(props: NameAndRefProps) {
  const { noun, nameField = 'name', refField, value, onChange, isNew = true, taken } = props;
  const { nameHint, optional = false } = props;
  const follows = isNew && value.ref === suggestRef(value.name, taken);
  return (
    <>
      <TextField
        name={nameField}
        label="Name"
        {...(nameHint !== undefined && { hint: nameHint })}
        value={value.name}
        onValueChange={(name) => onChange(follows ? { name, ref: suggestRef(name, taken) } : { name })}
        optional={optional}
        required={!optional}
      />
      {isNew && (
        <TextField
          name={refField}
          label="Ref"
          hint={`The name that your backend uses for this ${noun}, for example your own ID. It cannot be changed later.`}
          value={value.ref}
          onValueChange={(ref) => onChange({ ref })}
          required
          mono
          maxLength={REF_MAX_CHARS}
          autoComplete="off"
        />
      )}
    </>
  );
}
