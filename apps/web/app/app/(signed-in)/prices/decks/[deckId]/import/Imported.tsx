'use client';

import { Button, ButtonLink, FormActions } from '@clarion/ui';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { deckHref } from '#lib/dashboard/rate-decks/deck-labels.ts';
import { counted } from '#lib/dashboard/rate-decks/format-rate.ts';
import type { Deck, DeckImport } from '#lib/dashboard/rate-decks/resources.ts';
import { ImportCounts } from './PreviewTables.tsx';

interface ImportedProps {
  deck: Deck;
  imported: DeckImport;
  heading: ReactNode;
  onAnother(): void;
}

export function Imported({ deck, imported, heading, onAnother }: ImportedProps) {
  const { fileName, skipped } = imported;
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <div role="status" className="flex items-start gap-3">
        <CircleCheck className="mt-0.5 size-6 shrink-0 text-positive" aria-hidden />
        <div className="min-w-0">
          {heading}
          <p className="wrap-anywhere text-muted">
            The prices of {fileName} are now in {deck.name}.
            {skipped > 0 && ` ${counted(skipped, 'row was', 'rows were')} skipped.`}
          </p>
        </div>
      </div>
      <ImportCounts counts={imported} />
      <FormActions>
        <ButtonLink tone="accent" href={deckHref(deck.id)}>
          See the prices
        </ButtonLink>
        <Button onClick={onAnother}>Import another file</Button>
      </FormActions>
    </div>
  );
}
