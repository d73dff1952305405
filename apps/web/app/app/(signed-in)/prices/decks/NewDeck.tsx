'use client';

import { RadioCards, useToasts } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useRef } from 'react';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import { deckHref, deckKinds } from '#lib/dashboard/rate-decks/deck-labels.ts';
import type { DeckKind } from '#lib/dashboard/rate-decks/resources.ts';
import { deckBodyOf, DeckFields, type DeckDraft } from './DeckFields.tsx';

export interface NewDeckProps {
  open: boolean;
  onClose(): void;
}

const kinds = (['BUY', 'SELL'] as const).map((value) => ({
  value,
  label: deckKinds[value].label,
  note: deckKinds[value].meaning,
}));

export function NewDeck({ open, onClose }: NewDeckProps) {
  const router = useRouter();
  const toasts = useToasts();
  const created = useRef<number | null>(null);
  const { draft, change, dirty } = useDraft<DeckDraft & { kind: DeckKind }>(open, () => ({
    name: '',
    kind: 'BUY',
    currency: 'USD',
    description: '',
  }));
  const create = useChange('POST', '/v1/rate-decks', { invalidates: ['/v1/rate-decks'] });
  return (
    <EditDrawer
      open={open}
      onClose={() => {
        // Closing sets the URL of this page, which would cancel the navigation to the next one.
        if (created.current === null) onClose();
        else router.push(deckHref(created.current));
      }}
      title="New rate deck"
      description="You can import a file or add prices on the next page."
      dirty={dirty}
      saveLabel="Create rate deck"
      onSave={async () => {
        const { deck } = await create.mutateAsync({ body: { ...deckBodyOf(draft), kind: draft.kind } });
        toasts.add({ title: `${deck.name} was created`, tone: 'positive' });
        created.current = deck.id;
      }}
    >
      <RadioCards
        name="kind"
        label="Kind"
        hint="It cannot be changed later."
        choices={kinds}
        value={draft.kind}
        onValueChange={(kind) => change({ kind: kind as DeckKind })}
      />
      <DeckFields draft={draft} change={change} />
    </EditDrawer>
  );
}
