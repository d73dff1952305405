'use client';

import { TextField, useToasts } from '@clarion/ui';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import {
  assertComplete,
  bodyOf,
  emptyEntry,
  prefixOf,
  type EntryDraft,
} from '#lib/dashboard/rate-decks/entry-draft.ts';
import { DECK_PATHS, ENTRIES_PATH, type Deck } from '#lib/dashboard/rate-decks/resources.ts';

export interface NewEntryProps {
  deck: Deck;
  open: boolean;
  onClose(): void;
}

export function NewEntry({ deck, open, onClose }: NewEntryProps) {
  const toasts = useToasts();
  const { draft, change, dirty } = useDraft<EntryDraft>(open, () => emptyEntry);
  const create = useChange('POST', ENTRIES_PATH, { invalidates: DECK_PATHS });
  const field = (key: keyof EntryDraft) => ({
    value: draft[key],
    onValueChange: (value: string) => change({ [key]: value }),
    autoComplete: 'off',
  });
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title="Add a price"
      description="It applies to calls from now on."
      dirty={dirty}
      saveLabel="Add price"
      onSave={async () => {
        assertComplete(draft, { isNew: true });
        const { entry } = await create.mutateAsync({
          path: { deckId: deck.id },
          body: { prefix: prefixOf(draft.prefix), ...bodyOf(draft) },
        });
        toasts.add({
          title: `Prefix ${entry.prefix} costs ${entry.rate} ${deck.currency} per minute`,
          tone: 'positive',
        });
      }}
    >
      <TextField
        name="prefix"
        label="Prefix"
        hint="The first digits of the numbers, with the country code: 44 is the United Kingdom, 4420 is London. The longest prefix that fits a number prices it."
        inputMode="tel"
        placeholder="4420"
        mono
        {...field('prefix')}
      />
      <TextField name="destination" label="Destination" optional {...field('destination')} maxLength={255} />
      <TextField
        name="rate"
        label="Rate"
        suffix={`${deck.currency} per minute`}
        inputMode="decimal"
        placeholder="0.012"
        className="max-w-80"
        {...field('rate')}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          name="initial_seconds"
          label="First block"
          hint="The minimum billed time."
          suffix="seconds"
          inputMode="numeric"
          {...field('initialSeconds')}
        />
        <TextField
          name="increment_seconds"
          label="Further blocks"
          hint="After the first block, time is rounded up to these."
          suffix="seconds"
          inputMode="numeric"
          {...field('incrementSeconds')}
        />
      </div>
      <TextField
        name="connection_fee"
        label="Connection fee"
        hint="Charged once for each answered call."
        suffix={deck.currency}
        inputMode="decimal"
        className="max-w-80"
        {...field('connectionFee')}
      />
    </EditDrawer>
  );
}
