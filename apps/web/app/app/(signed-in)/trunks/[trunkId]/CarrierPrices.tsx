'use client';

import { Button, Section, SelectField, Skeleton, TextLink, useToasts } from '@clarion/ui';
import { SaveForm } from '#lib/dashboard/edit/SaveForm.tsx';
import type { OwnTrunk, RateDeck } from '#lib/dashboard/edit/resources.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';

const NONE = 'NONE';
const choiceOf = (id: number | null) => (id === null ? NONE : String(id));
const idOf = (choice: string) => (choice === NONE ? null : Number(choice));

/** The rate decks with what the carrier charges. Only owners can list rate decks. */
export function CarrierPrices({ trunk }: { trunk: OwnTrunk }) {
  const { data } = useGet('/v1/rate-decks', {});
  return (
    <Section
      title="Prices of the carrier"
      description="BUY rate decks show what the carrier charges for each call."
    >
      {data === undefined ? (
        <Skeleton className="h-32" />
      ) : (
        <DeckForm trunk={trunk} decks={data.decks.filter(({ kind }) => kind === 'BUY')} />
      )}
    </Section>
  );
}

function DeckForm({ trunk, decks }: { trunk: OwnTrunk; decks: readonly RateDeck[] }) {
  const toasts = useToasts();
  const { buyDeckId, inboundBuyDeckId } = trunk;
  const { draft, change, dirty, saved } = useDraft(
    true,
    () => ({ outbound: choiceOf(buyDeckId), inbound: choiceOf(inboundBuyDeckId) }),
    JSON.stringify([buyDeckId, inboundBuyDeckId]),
  );
  const put = useChange('PUT', '/v1/sip-trunks/{trunkId}/rate-decks', {
    invalidates: ['/v1/sip-trunks', '/v1/rate-decks/{deckId}'],
  });
  const choices = [
    { value: NONE, label: 'None' },
    ...decks.map(({ id, name, currency }) => ({ value: String(id), label: name, note: currency })),
  ];
  if (decks.length === 0) {
    return (
      <p className="text-md text-muted">
        There is no rate deck of the kind BUY yet. <TextLink href="/app/prices/decks">Rate decks</TextLink>
      </p>
    );
  }
  return (
    <SaveForm
      onSave={() =>
        put.mutateAsync({
          path: { trunkId: trunk.id },
          body: { buy_deck_id: idOf(draft.outbound), inbound_buy_deck_id: idOf(draft.inbound) },
        })
      }
      onSaved={() => {
        saved();
        toasts.add({ title: 'Saved', description: 'The prices apply to new calls.', tone: 'positive' });
      }}
    >
      {(busy) => (
        <>
          <SelectField
            name="buy_deck_id"
            label="Outbound calls"
            choices={choices}
            value={draft.outbound}
            onValueChange={(outbound) => change({ outbound })}
          />
          <SelectField
            name="inbound_buy_deck_id"
            label="Inbound calls"
            choices={choices}
            value={draft.inbound}
            onValueChange={(inbound) => change({ inbound })}
          />
          <Button className="self-start" type="submit" busy={busy} disabled={!dirty}>
            Save prices
          </Button>
        </>
      )}
    </SaveForm>
  );
}
