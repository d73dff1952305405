'use client';

import { onDemand, Page, Skeleton } from '@clarion/ui';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { deckHref } from '#lib/dashboard/rate-decks/deck-labels.ts';

const ImportWizard = onDemand(
  async () => (await import('./ImportWizard.tsx')).ImportWizard,
  () => <Skeleton className="h-96" />,
);

/** `deckId`: as it is in the URL. */
export function ImportPage({ deckId }: { deckId: string }) {
  const { data, error, refetch } = useGet('/v1/rate-decks/{deckId}', { path: { deckId } });
  const deck = data?.deck;
  return (
    <Page
      title="Import rates"
      description="From the CSV file of a carrier. Nothing is changed until you confirm in the last step."
      back={{ label: deck?.name ?? 'Rate deck', href: deckHref(deckId) }}
    >
      {error !== null ? (
        <ReadProblem what="The rate deck" problem={error} onRetry={() => void refetch()} />
      ) : deck === undefined ? (
        <Skeleton className="h-96" />
      ) : (
        <ImportWizard deck={deck} />
      )}
    </Page>
  );
}
