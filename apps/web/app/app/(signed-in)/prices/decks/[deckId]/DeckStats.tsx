'use client';

import { DateTime, Stat, StatRow } from '@clarion/ui';
import { formatCount, formatRate } from '#lib/dashboard/rate-decks/format-rate.ts';
import type { DeckDetail } from '#lib/dashboard/rate-decks/resources.ts';

interface DeckStatsProps {
  stats: DeckDetail['stats'];
  currency: string;
}

export function DeckStats({ stats, currency }: DeckStatsProps) {
  const { rowsInForce, destinations, minRate, avgRate, maxRate, scheduled, nextChange } = stats;
  const rate = (label: string, amount: string | null) => (
    <Stat label={label} value={amount === null ? '–' : formatRate(amount)} hint={`${currency} per minute`} />
  );
  return (
    <StatRow>
      <Stat label="Prices in force" value={formatCount(rowsInForce)} />
      <Stat label="Destinations" value={formatCount(destinations)} />
      {rate('Lowest rate', minRate)}
      {rate('Average rate', avgRate)}
      {rate('Highest rate', maxRate)}
      <Stat
        label="Scheduled prices"
        value={formatCount(scheduled)}
        hint={
          nextChange === null ? (
            'No change ahead'
          ) : (
            <>
              Next: <DateTime at={nextChange} />
            </>
          )
        }
      />
    </StatRow>
  );
}
