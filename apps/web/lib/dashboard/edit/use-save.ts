'use client';

import { useId, useState } from 'react';
import { formErrors } from './error-messages.ts';

export interface Saving {
  /** For `<Form id>` and for a button outside the form. */
  formId: string;
  errors: Record<string, string>;
  busy: boolean;
  /** Sends the request. Errors are shown at the form's fields. Resolves with whether it succeeded. */
  save(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

export function useSave(): Saving {
  const formId = useId();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const save = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
      // Not before the request: the form moves the focus to an invalid field only with the first change of its errors.
      setErrors({});
      return true;
    } catch (problem) {
      const form = document.getElementById(formId);
      setErrors(formErrors(problem, (field) => hasField(form, field)));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { formId, errors, busy, save, clear: () => setErrors({}) };
}

const hasField = (form: HTMLElement | null, field: string): boolean =>
  form?.querySelector(`[name="${CSS.escape(field)}"]`) !== null;
