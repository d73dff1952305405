/** The form of a price, and the errors of the API at its fields. Pure. */
import { formErrors } from '../edit/error-messages.ts';
import { RequestProblem } from '../request.ts';
import { decimalPoint } from './entry-filters.ts';
import type { Entry, EntryBody } from './resources.ts';

/** As typed: a number that is not one is rejected at its field, not replaced. */
export interface EntryDraft {
  prefix: string;
  destination: string;
  rate: string;
  initialSeconds: string;
  incrementSeconds: string;
  connectionFee: string;
}

export const emptyEntry: EntryDraft = {
  prefix: '',
  destination: '',
  rate: '',
  initialSeconds: '60',
  incrementSeconds: '60',
  connectionFee: '0',
};

export const draftOf = (entry: Entry): EntryDraft => ({
  prefix: entry.prefix,
  destination: entry.destination ?? '',
  rate: entry.rate,
  initialSeconds: String(entry.initialSeconds),
  incrementSeconds: String(entry.incrementSeconds),
  connectionFee: entry.connectionFee,
});

/** Cleared blocks and a cleared fee are the defaults of the API. */
export const bodyOf = (draft: EntryDraft): EntryBody => ({
  destination: draft.destination.trim() || null,
  rate: decimalPoint(draft.rate),
  ...(draft.initialSeconds.trim() !== '' && { initial_seconds: Number(draft.initialSeconds) }),
  ...(draft.incrementSeconds.trim() !== '' && { increment_seconds: Number(draft.incrementSeconds) }),
  ...(draft.connectionFee.trim() !== '' && { connection_fee: decimalPoint(draft.connectionFee) }),
});

/** What the API calls the prefix: without separators, which people copy along. */
export const prefixOf = (text: string): string => text.replaceAll(/[\s().-]/g, '').replace(/^00/, '');

/** @throws RequestProblem at the field, for what the API would reject without saying what to do, or replace by a default */
export function assertComplete(draft: EntryDraft, { isNew }: { isNew: boolean }): void {
  if (isNew && draft.prefix.trim() === '') throw at('prefix', 'Enter a prefix, for example 4420.');
  if (draft.rate.trim() === '') throw at('rate', 'Enter a rate per minute.');
  for (const [field, text] of [
    ['initial_seconds', draft.initialSeconds],
    ['increment_seconds', draft.incrementSeconds],
  ] as const)
    if (!/^\s*\d*\s*$/.test(text)) throw at(field, 'Enter 1 to 3600 seconds.');
}

const at = (field: string, message: string): RequestProblem =>
  new RequestProblem(message, { status: 400, code: 'invalid_request', details: { field } });

const FIELDS = /^(prefix|destination|rate|initial_seconds|increment_seconds|connection_fee)$/;

export function entryErrors(problem: unknown): Record<string, string> {
  if (problem instanceof RequestProblem) {
    if (problem.code === 'unchanged') return { rate: 'Nothing differs from the price in force.' };
    if (problem.code === 'ended')
      return { rate: 'This price has ended in the meantime. Cancel to see the current one.' };
    if (problem.code === 'exists')
      return { prefix: 'This prefix already has a price. Find it in the list and edit it there.' };
  }
  return formErrors(problem, (name) => FIELDS.test(name));
}
