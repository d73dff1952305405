'use client';

import { useGet } from '../queries.ts';
import { hasDeck, isOfCalls, type ItemDraft } from './plan-draft.ts';
import { deckCharge, flatCharge, isAmount, units } from './sample-price.ts';

export interface SampleCall {
  number: string;
  seconds: number;
}

interface SamplePriceProps {
  item: ItemDraft;
  currency: string;
  sample: SampleCall;
}

/** What the item costs in an example, or why that is not known yet. */
export function SamplePrice({ item, currency, sample }: SamplePriceProps) {
  return (
    <p className="text-md text-muted" aria-live="polite">
      {hasDeck(item) && item.deckId !== '' ? (
        <DeckPrice item={item} currency={currency} sample={sample} />
      ) : (
        textOf(item, currency, sample)
      )}
    </p>
  );
}

function textOf(item: ItemDraft, currency: string, { seconds }: SampleCall): string {
  if (item.method === 'DECK') return 'Choose the rate deck with the prices.';
  if (item.method === 'DECK_MARKUP') {
    return isAmount(item.markupPercent)
      ? `The tenant pays what the usage costs you plus ${item.markupPercent.trim()}%.`
      : 'Enter the markup.';
  }
  const charge = flatCharge(item, seconds);
  if (charge === null) return 'Enter the price.';
  if (!isOfCalls(item.kind)) return `${item.flatRate.trim()} ${currency} ${units[item.kind]}.`;
  return `Example: ${seconds} seconds are billed as ${charge.billedSeconds} and cost ${charge.amount} ${currency}.`;
}

function DeckPrice({ item, currency, sample: { number, seconds } }: SamplePriceProps) {
  const { data, error } = useGet(
    '/v1/rate-decks/{deckId}/lookup',
    { path: { deckId: item.deckId }, query: { number, seconds } },
    { enabled: number !== '', keepPrevious: true },
  );
  if (error !== null) return <>The rate deck has no example: {error.message}</>;
  if (data === undefined) return <>Looking up {number}…</>;
  if (data.entry === null || data.call === undefined) return <>The rate deck has no price for {number}.</>;
  const charge = deckCharge(data.entry, item.method === 'DECK' ? '0' : item.markupPercent, seconds);
  if (charge === null) return <>Enter the markup.</>;
  return (
    <>
      Example: {seconds} seconds to {number} ({data.entry.destination ?? `prefix ${data.entry.prefix}`}) are
      billed as {charge.billedSeconds} and cost {charge.amount} {currency}
      {item.method === 'DECK_MARKUP' && `, of which ${data.call.amount} is the price of the deck`}.
    </>
  );
}
