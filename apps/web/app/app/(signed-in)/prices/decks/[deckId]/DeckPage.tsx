'use client';

import { Badge, ButtonLink, onDemand, Page, Skeleton, Tabs } from '@clarion/ui';
import { Upload } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { DECKS_HREF, deckKinds, importHref } from '#lib/dashboard/rate-decks/deck-labels.ts';
import { formatCount } from '#lib/dashboard/rate-decks/format-rate.ts';
import type { DeckDetail } from '#lib/dashboard/rate-decks/resources.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { DeckActions } from './DeckActions.tsx';
import { DeckStats } from './DeckStats.tsx';
import { DeckUses } from './DeckUses.tsx';

const Entries = onDemand(
  async () => (await import('./Entries.tsx')).Entries,
  () => <Skeleton className="h-96" />,
);
const DeckLog = onDemand(
  async () => (await import('./DeckLog.tsx')).DeckLog,
  () => <Skeleton className="h-64" />,
);

const back = { label: 'Rate decks', href: DECKS_HREF };

/** `deckId`: as it is in the URL. */
export function DeckPage({ deckId }: { deckId: string }) {
  const { data, error, refetch } = useGet('/v1/rate-decks/{deckId}', { path: { deckId } });
  if (error !== null && error.status === 404) {
    return (
      <Page title="Rate deck not found" back={back}>
        <p className="text-muted">
          This rate deck may have been deleted, or the address may be wrong. Check the list of rate decks.
        </p>
      </Page>
    );
  }
  if (error !== null && data === undefined) {
    return (
      <Page title="Rate deck" back={back}>
        <ReadProblem what="The rate deck" problem={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (data === undefined) {
    return (
      <Page title={<Skeleton className="h-7 w-40" />} back={back} width="wide">
        <Skeleton className="h-20" />
        <Skeleton className="h-96" />
      </Page>
    );
  }
  return <LoadedDeck detail={data} />;
}

const tabNames = ['prices', 'log', 'uses'] as const;

function LoadedDeck({ detail }: { detail: DeckDetail }) {
  const url = useUrlState();
  const { deck, stats, usage, imports } = detail;
  const uses = usage.trunks.length + usage.plans.length;
  const kind = deckKinds[deck.kind];
  return (
    <Page
      title={deck.name}
      mark={
        <>
          <Badge tone={kind.tone}>{kind.label}</Badge>
          <Badge>{deck.currency}</Badge>
        </>
      }
      description={deck.description ?? kind.meaning}
      back={back}
      actions={
        <>
          <DeckActions deck={deck} usage={usage} />
          <ButtonLink
            tone="accent"
            href={importHref(deck.id)}
            icon={<Upload className="size-4" aria-hidden />}
          >
            Import a file
          </ButtonLink>
        </>
      }
      width="wide"
    >
      <DeckStats stats={stats} currency={deck.currency} />
      <Tabs
        label="Rate deck"
        value={tabNames.find((name) => name === url.get('tab')) ?? 'prices'}
        onValueChange={(tab) => url.set({ tab: tab === 'prices' ? null : tab })}
        tabs={[
          {
            value: 'prices',
            label: 'Prices',
            content: <Entries deck={deck} isEmpty={stats.rowsInForce + stats.scheduled === 0} />,
          },
          { value: 'log', label: 'Imports and edits', content: <DeckLog imports={imports} /> },
          {
            value: 'uses',
            label: `Used by (${formatCount(uses)})`,
            content: <DeckUses kind={deck.kind} usage={usage} />,
          },
        ]}
      />
    </Page>
  );
}
