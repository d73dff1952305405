'use client';

import {
  Badge,
  Button,
  EmptyState,
  Page,
  RelativeTime,
  Table,
  TextLink,
  whenOpen,
  type Column,
} from '@clarion/ui';
import { CircleDollarSign, Plus } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { deckHref, deckKinds } from '#lib/dashboard/rate-decks/deck-labels.ts';
import type { Deck } from '#lib/dashboard/rate-decks/resources.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import type { NewDeckProps } from './NewDeck.tsx';

const NewDeck = whenOpen<NewDeckProps>(
  async () => (await import('./NewDeck.tsx')).NewDeck,
  ({ open }) => open,
);

export function DecksPage() {
  const url = useUrlState();
  const { data, error, refetch } = useGet('/v1/rate-decks', {});
  const create = (
    <Button
      tone="accent"
      icon={<Plus className="size-4" aria-hidden />}
      onClick={() => url.set({ new: '1' })}
    >
      New rate deck
    </Button>
  );
  return (
    <Page
      title="Rate decks"
      description={
        <>
          Prices per minute by number prefix: your own, and those of your carriers.{' '}
          <TextLink href="/docs/guides/billing#rate-decks">How rate decks work</TextLink>
        </>
      }
      actions={create}
    >
      {error !== null ? (
        <ReadProblem what="The rate decks" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Rate decks"
          columns={columns}
          rows={data?.decks}
          rowKey={({ id }) => id}
          rowHref={({ id }) => deckHref(id)}
          stacked
          empty={
            <EmptyState icon={<CircleDollarSign />} title="No rate decks yet" action={create}>
              <p>
                A rate deck is a price list. Create a buying deck for each carrier and import the file with
                its rates, and a selling deck with what your tenants pay.
              </p>
            </EmptyState>
          }
        />
      )}
      <NewDeck open={url.get('new') !== ''} onClose={() => url.set({ new: null })} />
    </Page>
  );
}

const columns: Column<Deck>[] = [
  {
    key: 'name',
    header: 'Rate deck',
    cell: ({ name, description }) => (
      <span className="flex min-w-0 flex-col">
        <span className="font-medium wrap-anywhere text-ink">{name}</span>
        {description !== null && (
          <span className="line-clamp-1 font-normal wrap-anywhere text-muted">{description}</span>
        )}
      </span>
    ),
  },
  {
    key: 'kind',
    header: 'Kind',
    cell: ({ kind }) => <Badge tone={deckKinds[kind].tone}>{deckKinds[kind].label}</Badge>,
  },
  { key: 'currency', header: 'Currency', cell: ({ currency }) => currency },
  {
    key: 'updated',
    header: 'Updated',
    align: 'end',
    nowrap: true,
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
];
