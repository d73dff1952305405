'use client';

import { Button, TextLink } from '@clarion/ui';
import { failureHref, fieldLabel } from '#lib/dashboard/trunks/failure-links.ts';

interface FailureLinksProps {
  /** Of the failure catalogue; null: stored by an earlier version. */
  code: string | null;
  /** The field that decides about it. */
  field: string | null;
  onField(field: string): void;
}

/** Where a failure is fixed and explained. */
export function FailureLinks({ code, field, onField }: FailureLinksProps) {
  const label = fieldLabel(field);
  if (code === null && label === null) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1 font-normal">
      {field !== null && label !== null && (
        <Button size="sm" onClick={() => onField(field)}>
          {label}
        </Button>
      )}
      {code !== null && (
        <TextLink href={failureHref(code)} target="_blank">
          Learn more
        </TextLink>
      )}
    </span>
  );
}
