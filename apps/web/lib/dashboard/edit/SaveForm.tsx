'use client';

import { Form } from '@clarion/ui';
import type { ReactNode } from 'react';
import { useSave } from './use-save.ts';

export interface SaveFormProps {
  /** Sends the request. Errors are shown at their fields. */
  onSave(values: FormData): Promise<unknown>;
  onSaved?(): void;
  children(busy: boolean): ReactNode;
}

/** A form with its own button that sends one request. */
export function SaveForm({ onSave, onSaved, children }: SaveFormProps) {
  const { formId, errors, busy, save } = useSave();
  return (
    <Form
      id={formId}
      errors={errors}
      busy={busy}
      onSubmit={async (values) => {
        if (await save(() => onSave(values))) onSaved?.();
      }}
    >
      {children(busy)}
    </Form>
  );
}
