'use client';

import { Button, useToasts, whenOpen } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { invalidate, useChange } from '#lib/dashboard/queries.ts';
import { DECKS_HREF } from '#lib/dashboard/rate-decks/deck-labels.ts';
import type { Deck, DeckDetail } from '#lib/dashboard/rate-decks/resources.ts';
import type { EditDeckProps } from './EditDeck.tsx';

const EditDeck = whenOpen<EditDeckProps>(
  async () => (await import('./EditDeck.tsx')).EditDeck,
  ({ open }) => open,
);

interface DeckActionsProps {
  deck: Deck;
  usage: DeckDetail['usage'];
}

/** Renames and deletes the deck. */
export function DeckActions({ deck, usage }: DeckActionsProps) {
  const [opened, setOpened] = useState<'edit' | 'delete' | null>(null);
  const close = () => setOpened(null);
  const users = [...usage.trunks, ...usage.plans].map(({ name }) => name);
  return (
    <>
      <Button onClick={() => setOpened('edit')}>Edit details</Button>
      <Button onClick={() => setOpened('delete')}>Delete</Button>
      <EditDeck deck={deck} open={opened === 'edit'} onClose={close} />
      {users.length > 0 ? (
        <ConfirmAction
          open={opened === 'delete'}
          onClose={close}
          title={`${deck.name} is still used`}
          confirmLabel="OK"
          onConfirm={() => Promise.resolve()}
        >
          <p>
            A rate deck can be deleted when no SIP trunk and no price plan uses it. Choose another deck there
            first:
          </p>
          <ul className="mt-2 flex max-h-60 list-disc flex-col gap-1 overflow-y-auto pl-5">
            {users.map((name, index) => (
              <li key={index}>{name}</li>
            ))}
          </ul>
        </ConfirmAction>
      ) : (
        <DeleteDeck deck={deck} open={opened === 'delete'} onClose={close} />
      )}
    </>
  );
}

function DeleteDeck({ deck, open, onClose }: { deck: Deck; open: boolean; onClose(): void }) {
  const router = useRouter();
  const toasts = useToasts();
  const client = useQueryClient();
  const remove = useChange('DELETE', '/v1/rate-decks/{deckId}');
  return (
    <ConfirmAction
      open={open}
      onClose={onClose}
      title={`Delete ${deck.name}?`}
      confirmLabel="Delete rate deck"
      tone="negative"
      onConfirm={async () => {
        await remove.mutateAsync({ path: { deckId: deck.id } });
        // Navigate first: this page would show that the deck was not found.
        router.push(DECKS_HREF);
        toasts.add({ title: `${deck.name} was deleted` });
        void invalidate(client, ['/v1/rate-decks']);
      }}
    >
      This deletes all its prices with their history and its list of imports. What calls have cost stays as it
      is. This cannot be undone: export the prices first if you may need them again.
    </ConfirmAction>
  );
}
