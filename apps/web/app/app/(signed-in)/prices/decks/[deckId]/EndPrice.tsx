'use client';

import { useToasts } from '@clarion/ui';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { useLast } from '#lib/dashboard/edit/use-last.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import { statusOf } from '#lib/dashboard/rate-decks/entry-status.ts';
import { DECK_PATHS, type Entry } from '#lib/dashboard/rate-decks/resources.ts';

interface EndPriceProps {
  deckId: number;
  /** Null: closed. */
  entry: Entry | null;
  onClose(): void;
  onEnded(entry: Entry): void;
}

/** Ends a price in force, or removes a scheduled one. */
export function EndPrice({ deckId, entry, onClose, onEnded }: EndPriceProps) {
  const toasts = useToasts();
  const shown = useLast(entry);
  const remove = useChange('DELETE', '/v1/rate-decks/{deckId}/entries/{entryId}', {
    invalidates: DECK_PATHS,
  });
  if (shown === null) return null;
  const { prefix } = shown;
  const isScheduled = statusOf(shown, Date.now()) === 'SCHEDULED';
  return (
    <ConfirmAction
      open={entry !== null}
      onClose={onClose}
      title={isScheduled ? `Remove the scheduled price of ${prefix}?` : `End the price of ${prefix}?`}
      confirmLabel={isScheduled ? 'Remove price' : 'End price'}
      tone="negative"
      onConfirm={async () => {
        await remove.mutateAsync({ path: { deckId, entryId: shown.id } });
        toasts.add({
          title: isScheduled
            ? `The scheduled price of ${prefix} was removed`
            : `The price of ${prefix} has ended`,
        });
        onEnded(shown);
      }}
    >
      {isScheduled
        ? 'It will not take effect, and the price before it stays in force.'
        : 'From now on, calls to this prefix are priced by a shorter prefix if the deck has one, and otherwise not at all. The price stays in the history.'}
    </ConfirmAction>
  );
}
