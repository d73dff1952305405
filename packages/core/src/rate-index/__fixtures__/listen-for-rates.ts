/** Follows the changes of decks, as a process does with its own listener. */
import { listen } from '@clarion/db';
import type { Listener } from '@clarion/db';
import type { RateIndexes } from '../rate-indexes.ts';

export const listenForRates = (
  databaseUrl: string,
  indexes: Pick<RateIndexes, 'forget' | 'forgetAll'>,
  options: { onError?: (error: Error) => void } = {},
): Listener =>
  listen(
    databaseUrl,
    { clarion_rates: (deckId) => indexes.forget(Number(deckId)) },
    { ...options, onConnect: () => indexes.forgetAll() },
  );
