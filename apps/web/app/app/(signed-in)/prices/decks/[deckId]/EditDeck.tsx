'use client';

import { useToasts } from '@clarion/ui';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import type { Deck } from '#lib/dashboard/rate-decks/resources.ts';
import { deckBodyOf, DeckFields, type DeckDraft } from '../DeckFields.tsx';

export interface EditDeckProps {
  deck: Deck;
  open: boolean;
  onClose(): void;
}

export function EditDeck({ deck, open, onClose }: EditDeckProps) {
  const toasts = useToasts();
  const { draft, change, dirty } = useDraft<DeckDraft>(open, () => ({
    name: deck.name,
    currency: deck.currency,
    description: deck.description ?? '',
  }));
  const put = useChange('PUT', '/v1/rate-decks/{deckId}', {
    invalidates: ['/v1/rate-decks', '/v1/rate-decks/{deckId}'],
  });
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title="Edit rate deck"
      dirty={dirty}
      saveLabel="Save"
      onSave={async () => {
        await put.mutateAsync({ path: { deckId: deck.id }, body: deckBodyOf(draft) });
        toasts.add({ title: 'Saved', tone: 'positive' });
      }}
    >
      <DeckFields
        draft={draft}
        change={change}
        currencyHint="Changing the currency does not convert prices."
      />
    </EditDrawer>
  );
}
