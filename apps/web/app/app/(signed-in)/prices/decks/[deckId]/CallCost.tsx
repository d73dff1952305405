'use client';

import { Button, Card, formatDuration, TextField } from '@clarion/ui';
import { useId, useState } from 'react';
import { SaveForm } from '#lib/dashboard/edit/SaveForm.tsx';
import { formatBlocks } from '#lib/dashboard/rate-decks/format-rate.ts';
import type { Deck } from '#lib/dashboard/rate-decks/resources.ts';
import { request, type Answer } from '#lib/dashboard/request.ts';

type Lookup = Answer<'GET', '/v1/rate-decks/{deckId}/lookup'>;

/** "What does a call cost?": the price of a number for a duration. */
export function CallCost({ deck }: { deck: Deck }) {
  const id = useId();
  const [number, setNumber] = useState('');
  const [seconds, setSeconds] = useState('60');
  const [found, setFound] = useState<Lookup | null>(null);
  return (
    <Card>
      <section aria-labelledby={id} className="flex flex-col gap-3">
        <h2 id={id} className="text-base font-semibold text-ink">
          What does a call cost?
        </h2>
        <SaveForm
          onSave={async () => {
            setFound(null);
            setFound(
              await request('GET', '/v1/rate-decks/{deckId}/lookup', {
                path: { deckId: deck.id },
                query: { number, ...(seconds.trim() !== '' && { seconds }) },
              }),
            );
          }}
        >
          {(busy) => (
            <div className="flex flex-wrap items-start gap-3">
              <TextField
                name="number"
                label="Number"
                type="tel"
                placeholder="+44 20 7946 0123"
                value={number}
                onValueChange={setNumber}
                autoComplete="off"
                className="w-full sm:w-60"
              />
              <TextField
                name="seconds"
                label="Duration"
                suffix="seconds"
                inputMode="numeric"
                value={seconds}
                onValueChange={setSeconds}
                autoComplete="off"
                className="w-44"
              />
              <Button type="submit" busy={busy} className="mt-[1.625rem]">
                Calculate
              </Button>
            </div>
          )}
        </SaveForm>
        <div role="status" className="empty:hidden">
          {found !== null && <Result found={found} currency={deck.currency} />}
        </div>
      </section>
    </Card>
  );
}

function Result({ found: { number, entry, call }, currency }: { found: Lookup; currency: string }) {
  if (entry === null || call === undefined) {
    return (
      <p className="text-ink">
        No price in force covers <span className="tabular-nums">{number}</span>: calls to it cannot be priced
        from this deck.
      </p>
    );
  }
  const { prefix, destination, rate, initialSeconds, incrementSeconds, connectionFee } = entry;
  return (
    <p className="text-ink">
      <span className="text-lg font-semibold tabular-nums">
        {call.amount} {currency}
      </span>{' '}
      for {formatDuration(call.seconds)} to <span className="tabular-nums">{number}</span>
      <span className="block text-muted">
        {call.billedSeconds === 0 ? 'Nothing is billed' : `Billed for ${formatDuration(call.billedSeconds)}`}{' '}
        by prefix {prefix}
        {destination !== null && ` (${destination})`}: {rate} per minute in blocks of{' '}
        {formatBlocks(initialSeconds, incrementSeconds)} seconds
        {connectionFee === '0' ? '' : `, plus ${connectionFee} per call`}.
      </span>
    </p>
  );
}
