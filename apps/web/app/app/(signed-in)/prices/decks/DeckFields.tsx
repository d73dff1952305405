'use client';

import { TextField } from '@clarion/ui';
import { chosenCurrency, CurrencyField } from '#lib/dashboard/edit/CurrencyField.tsx';

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
      <CurrencyField
        {...(currencyHint !== undefined && { hint: currencyHint })}
        value={draft.currency}
        onValueChange={(currency) => change({ currency })}
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

/** @throws RequestProblem for a cleared currency */
export const deckBodyOf = ({ name, currency, description }: DeckDraft) => ({
  name: name.trim(),
  currency: chosenCurrency(currency),
  description: description.trim() || null,
});
