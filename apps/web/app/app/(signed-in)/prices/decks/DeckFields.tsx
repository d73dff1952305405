'use client';

import { ComboField, TextField } from '@clarion/ui';
import { RequestProblem } from '#lib/dashboard/request.ts';

const names = new Intl.DisplayNames('en', { type: 'currency' });
const currencies = Intl.supportedValuesOf('currency').map((code) => ({
  value: code,
  label: `${code} – ${names.of(code) ?? code}`,
}));

export interface DeckDraft {
  name: string;
  currency: string;
  description: string;
}

interface DeckFieldsProps {
  draft: DeckDraft;
  change(changes: Partial<DeckDraft>): void;
  currencyHint?: string;
}

/** What can be changed about a deck. */
export function DeckFields({ draft, change, currencyHint }: DeckFieldsProps) {
  return (
    <>
      <TextField
        name="name"
        label="Name"
        value={draft.name}
        onValueChange={(name) => change({ name })}
        maxLength={128}
        required
        autoComplete="off"
      />
      <ComboField
        name="currency"
        label="Currency"
        {...(currencyHint !== undefined && { hint: currencyHint })}
        choices={currencies}
        value={draft.currency}
        onValueChange={(currency) => change({ currency: currency ?? '' })}
        emptyText="No such currency"
      />
      <TextField
        name="description"
        label="Description"
        hint="For yourself, for example the contract or the route."
        optional
        multiline={2}
        value={draft.description}
        onValueChange={(description) => change({ description })}
        maxLength={500}
      />
    </>
  );
}

/** @throws RequestProblem for a cleared currency, which the API would replace by the default or by the one before */
export function deckBodyOf({ name, currency, description }: DeckDraft) {
  if (currency === '')
    throw new RequestProblem('Choose a currency.', {
      status: 400,
      code: 'invalid_request',
      details: { field: 'currency' },
    });
  return { name: name.trim(), currency, description: description.trim() || null };
}
