'use client';

import { Button, TextLink } from '@clarion/ui';
import { fieldLabel } from '#lib/dashboard/trunks/failure-links.ts';

interface FailureLinksProps {
  /** The path of the documentation about the failure. */
  docs: string | null;
  /** The field that decides about it. */
  field: string | null;
  onField(field: string): void;
}

/** Where a failure is fixed and explained. */
export function FailureLinks({ docs, field, onField }: FailureLinksProps) {
  const label = fieldLabel(field);
  if (docs === null && label === null) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1 font-normal">
      {field !== null && label !== null && (
        <Button size="sm" onClick={() => onField(field)}>
          {label}
        </Button>
      )}
      {docs !== null && (
        <TextLink href={docs} target="_blank">
          Learn more
        </TextLink>
      )}
    </span>
  );
}
