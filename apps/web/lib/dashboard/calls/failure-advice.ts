/** What to do about a failed call, from the failure catalogue. */
import { failureDocs, failures } from '@clarion/protocol/failures';
import type { Call } from './outcome-labels.ts';

export interface FailureAdvice {
  /** What happened, as the catalogue says it; null: the message of the call says the same. */
  text: string | null;
  fix: string;
  /** The field of the trunk, line or account that decides about it. */
  field: string | null;
  docs: string;
}

/** Null: the call has no reason of the catalogue. */
export function failureAdvice(details: Call['failureDetails']): FailureAdvice | null {
  if (details === null || details.reason === null) return null;
  const { text, fix, field } = failures[details.reason];
  return { text: text === details.message ? null : text, fix, field, docs: failureDocs(details.reason) };
}
